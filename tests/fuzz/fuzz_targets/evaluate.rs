//! Any formula that has a type is evaluated, or said to have no value: no panic, and an end soon after it is interrupted.

#![no_main]

use bcheck::eval::Machine;
use bcheck::ir::{Model, Scope};
use bcheck::sema::{Formula, Macros};
use bcheck::source::{SourceMap, has_errors};
use bcheck::value::Valuation;
use bcheck::{sema, syntax};
use libfuzzer_sys::fuzz_target;
use std::ops::ControlFlow;
use std::sync::atomic::Ordering;
use std::sync::{Arc, OnceLock, mpsc};
use std::time::Duration;

/// Gives formulas something to speak of.
const MACHINE: &str = "
MACHINE fuzz
SETS S; T = {red, green, blue}
CONSTANTS k, f
PROPERTIES k : 0 .. 3 & k = 2 & f : S --> T
VARIABLES x, s, r, q
INVARIANT x : INTEGER & s <: S & r : S <-> T & q : seq(T)
INITIALISATION x := 7 || s := {} || r := f || q := [red, blue]
END";

/// An evaluation is interrupted after this time.
const PATIENCE: Duration = Duration::from_millis(300);

fn model() -> &'static (Model, Macros) {
    static MODEL: OnceLock<(Model, Macros)> = OnceLock::new();
    MODEL.get_or_init(|| {
        let mut sources = SourceMap::new();
        let file = sources.add("fuzz.mch", MACHINE);
        let tree = syntax::parse_machine(file, MACHINE).tree.expect("a correct machine");
        let (model, found) = sema::analyse(&tree);
        (model.unwrap_or_else(|| panic!("{found:?}")), Macros::default())
    })
}

fuzz_target!(|text: &str| {
    let mut sources = SourceMap::new();
    let file = sources.add("<formula>", text);
    let parsed = syntax::parse_formula(file, text);
    if has_errors(&parsed.diagnostics) {
        return;
    }
    let (model, macros) = model();
    let Ok((formula, model)) = sema::analyse_formula(&parsed.tree, sema::FormulaContext { model: Some(model), ..Default::default() }, macros) else { return };
    let scope = Scope { sizes: vec![3, 3], minint: (-1).into(), maxint: 3.into() };
    let machine = Machine::compile(Arc::new(model), scope);
    let flag = Arc::clone(machine.interrupt());
    let (done, wait) = mpsc::channel::<()>();
    let watch = std::thread::spawn(move || {
        if wait.recv_timeout(PATIENCE).is_err() {
            flag.store(true, Ordering::Relaxed);
        }
    });
    let mut state = Valuation::new();
    let _ = machine.for_each_setup(&mut |set_up| {
        let _ = machine.for_each_initial(&set_up, &mut |initial| {
            state = initial;
            ControlFlow::Break(())
        });
        ControlFlow::Break(())
    });
    let ended = match &formula {
        Formula::Expr(expr) => machine.evaluate(expr, &state).map(|value| bcheck::value::display::display(&value, machine.model()).len()),
        Formula::Pred(pred) => machine.holds(pred, &state).map(usize::from),
    };
    let _ = ended;
    let _ = done.send(());
    let _ = watch.join();
});
