//! Evaluates formulas one after the other in the context of a machine; values can be stored under names for later ones.
//!
//! Invariant: a formula that mentions no constant and no variable is evaluated without searching for a state, so that it has a value even
//! if PROPERTIES have no solution. All formulas share one state. Deliberately elsewhere: the stored values (`kept_values`).

use crate::args::{AnswerArgs, EvalArgs};
use crate::commands::eval::kept_values::{KeptValue, KeptValues};
use crate::commands::eval::printed::{no_value, put, truth};
use crate::commands::eval::question;
use crate::commands::eval::unsat_core;
use crate::commands::replay;
use crate::commands::replay::read_trace;
use crate::commands::replay::resolve::{Resolver, adopt_scope};
use crate::exit::{Exit, complain};
use crate::io::console::Console;
use crate::io::interrupt;
use crate::load::{self, Failure, Loaded};
use crate::session::assumed;
use bcheck_eval::{EvalError, Machine};
use bcheck_ir::{Expr, ExprKind, GivenSetKind, Model, Pred, Scope, Type};
use bcheck_report::replay::Grade;
use bcheck_sema::{Asked, Formula, read_formula, type_text};
use bcheck_source::{Code, Diagnostic, Shown, shown};
use bcheck_syntax::{ast, keywords};
use bcheck_value::display::display;
use bcheck_value::{Valuation, Value};
use std::ops::ControlFlow;
use std::path::Path;
use std::sync::Arc;

/// A machine in whose context formulas are evaluated.
pub(crate) struct Evaluator {
    /// Its model has the stored names as constants behind its own.
    loaded: Loaded,
    scope: Scope,
    /// The machine as read.
    original: Arc<Model>,
    kept: KeptValues,
    /// The state of earlier formulas, as far as they needed one: constants only, or all of it.
    constants: Option<Valuation>,
    state: Option<Valuation>,
}

/// A formula with its value.
pub(crate) struct Evaluated {
    expr: Expr,
    value: Value,
    /// Its value as printed.
    pub(crate) text: String,
}

impl Evaluator {
    /// In the context of this machine, or without one.
    pub(crate) fn new(args: &EvalArgs, machine: Option<&Path>, console: &mut Console) -> Result<Self, Failure> {
        let (loaded, scope) = console.load_context(machine, &args.common, &args.scope)?;
        let original = Arc::new(loaded.model.clone());
        Ok(Self { loaded, scope, original, kept: KeptValues::default(), constants: None, state: None })
    }

    /// Goes to a state of a saved trace, in which all formulas are evaluated from then on.
    pub(crate) fn follow(&mut self, trace: &Path, args: &EvalArgs, console: &mut Console) -> Result<(), Exit> {
        let recorded = read_trace(trace, &mut self.loaded, &mut console.sources).map_err(|failure| console.show_failure(&failure))?;
        // The trace may omit the states of refined machines.
        if self.original.within != self.loaded.model.within {
            self.original = Arc::new(self.loaded.model.clone());
        }
        adopt_scope(&mut self.scope, &self.original, &recorded, &args.scope);
        let machine = Machine::compile(self.original.clone(), self.scope.clone());
        interrupt::run(machine.interrupt());
        let resolved = Resolver::new(&self.loaded, &machine, &mut console.sources).resolve(&recorded);
        let (replayed, _) = replay::run_again(&machine, &recorded, &resolved)?;
        let stop = replay::stop_of(&machine, &console.sources, &recorded, &resolved, &replayed);
        let steps = replayed.trace.steps;
        let (first, count) = (machine.model().set_up_steps(), steps.len());
        // A later step that cannot be replayed does not matter.
        if let Some(stop) = stop.filter(|_| args.state.is_none_or(|step| step >= count)) {
            let reason = format!("step {} of the trace, {}, cannot be replayed: {}", stop.step, stop.title, stop.message);
            return Err(complain(&reason, Exit::Replay(Grade::Partial)));
        }
        let step = args.state.unwrap_or(count.saturating_sub(1));
        if step >= count || step < first {
            let last = count.saturating_sub(1);
            return Err(complain(&format!("--state {step}: the trace has states after steps {first} to {last}"), Exit::Usage));
        }
        let state = steps.into_iter().nth(step).map(|step| step.state).unwrap_or_default();
        self.constants = Some(state[..self.original.constants.len()].into());
        self.state = Some(state);
        Ok(())
    }

    /// Prints the value of a formula, or its answers, or the reason why there are none.
    pub(crate) fn answer(&mut self, name: &str, text: &str, wanted: AnswerArgs, console: &mut Console) -> (Exit, Option<Evaluated>) {
        // Before the time of this formula begins: no limit applies to reading and typing an input line.
        let asked = self.read(name, text, console);
        match asked.and_then(|asked| self.evaluate(asked, wanted, console)) {
            Ok(Some(evaluated)) => (put(&shown!("{}\n", evaluated.text)), Some(evaluated)),
            Ok(None) => (Exit::Done, None),
            Err(exit) => (exit, None),
        }
    }

    /// The value of a formula without free names.
    pub(crate) fn value(&mut self, name: &str, text: &str, console: &mut Console) -> Result<Evaluated, Exit> {
        let asked = self.read(name, text, console)?;
        if let Asked::Names(names, _) = &asked {
            let names: Vec<_> = names.iter().map(|(id, _)| format!("`{}`", self.loaded.model.local_name(*id))).collect();
            return Err(complain(&shown!("the formula has no value, as {} has none", names.join(", ")), Exit::Usage));
        }
        let evaluated = self.evaluate(asked, AnswerArgs::default(), console)?;
        Ok(evaluated.expect("a formula without free names has a value, if it has no error"))
    }

    /// The value of a formula without free names; for others, prints the answers. Errors are printed.
    fn evaluate(&mut self, mut asked: Asked, wanted: AnswerArgs, console: &mut Console) -> Result<Option<Evaluated>, Exit> {
        // Each formula has the full time limit.
        interrupt::restart();
        // Contradicting conjuncts are searched for without a state.
        self.kept.inline(&mut asked, wanted.unsat_core);
        let needs = self.kept.needs(&asked);
        if wanted.unsat_core && (needs.constants || needs.variables) {
            let reason =
                "--unsat-core: the formula mentions constants or variables of the machine; write their values, or free names, instead";
            return Err(complain(reason, Exit::Usage));
        }
        let found = self.state_for(needs.constants, needs.variables, console)?;
        let Some(found) = found else { return Err(self.complain_of_no_state(&asked, console)) };
        // Compiled for each formula, because the names that it binds need slots in the machine's frame.
        let machine = Machine::compile(Arc::new(self.loaded.model.clone()), self.scope.clone());
        interrupt::run(machine.interrupt());
        let fail = |error: EvalError| no_value(&machine, &error, console);
        let state = self.kept.state(found, &needs);
        let (expr, value) = match asked {
            Asked::Value(Formula::Expr(expr)) => {
                let compiled = machine.compile_once(&expr);
                let value = compiled.evaluate(&state).map(|value| {
                    // The comprehensions of the formula are in no other model.
                    let text = display(&value, &self.kept.printing(&compiled.model()));
                    (value, text)
                });
                (expr, value)
            }
            Asked::Value(Formula::Pred(pred)) => {
                let value = machine.holds(&pred, &state);
                if wanted.unsat_core && value == Ok(false) {
                    unsat_core::show(&machine, (&[], &pred), console);
                }
                (
                    Expr { kind: ExprKind::Bool(value == Ok(true)), ty: Type::Bool, span: pred.span },
                    value.map(|holds| (Value::Bool(holds), truth(holds).to_owned())),
                )
            }
            Asked::Names(names, pred) => {
                let exit = question::answer(&machine, (&names, &pred), &state, wanted, console);
                console.show(&assumed(&machine));
                return if exit == Exit::Done { Ok(None) } else { Err(exit) };
            }
        };
        console.show(&assumed(&machine));
        let (value, text) = value.map_err(fail)?;
        Ok(Some(Evaluated { expr, value, text }))
    }

    /// Reads and types a formula; shows its errors.
    fn read(&mut self, name: &str, text: &str, console: &mut Console) -> Result<Asked, Exit> {
        load::question(&mut self.loaded, &self.scope, name, text, &mut console.sources).map_err(|failure| console.show_failure(&failure))
    }

    /// The type of a formula; for a predicate with free names, their types as well.
    pub(crate) fn types(&mut self, name: &str, text: &str, console: &mut Console) -> Result<Shown, Exit> {
        let asked = self.read(name, text, console)?;
        let model = &self.loaded.model;
        Ok(match asked {
            Asked::Value(Formula::Expr(expr)) => shown!("{}\n", type_text(model, &expr.ty)),
            Asked::Value(Formula::Pred(_)) => shown!("predicate\n"),
            Asked::Names(names, _) => {
                let lines = names.iter().map(|(id, ty)| shown!("  {} : {}\n", model.local_name(*id), type_text(model, ty)));
                shown!("predicate, where\n{}", lines.collect::<Shown>())
            }
        })
    }

    /// Stores a value under a name for later formulas.
    pub(crate) fn keep(&mut self, name: &str, evaluated: Evaluated) {
        let Evaluated { expr, value, text } = evaluated;
        self.kept.keep(&mut self.loaded.model, name, KeptValue::new(expr, value, text));
    }

    /// Refuses a name that is not an identifier, or that the machine declares.
    pub(crate) fn may_be_kept(&self, name: &str, console: &mut Console) -> Result<(), String> {
        let file = console.sources.add("<name>", name);
        let parsed = bcheck_syntax::parse_formula(file, name);
        if !parsed.diagnostics.is_empty() || !matches!(&parsed.tree.kind, ast::ExprKind::Ident(text) if text == name) {
            return Err(format!("`{name}` is not a name"));
        }
        let context = bcheck_sema::FormulaContext { model: Some(&*self.original), scope: Some(&self.scope), ..Default::default() };
        match read_formula(file, name, context, &self.loaded.macros) {
            Ok(_) => Err(format!("`{name}` is a name of the machine")),
            Err(_) => Ok(()),
        }
    }

    /// Words that a formula or command may contain, for completion.
    pub(crate) fn words(&self) -> Vec<String> {
        let Model { sets, constants, variables, .. } = &self.loaded.model;
        let elements = sets.values().flat_map(|set| match &set.kind {
            GivenSetKind::Enumerated(names) => names.as_slice(),
            GivenSetKind::Deferred => &[],
        });
        // Names of replaced values contain a quote, and cannot be typed.
        let declared = sets.keys().chain(constants.keys().filter(|name| !name.contains('\''))).chain(variables.keys()).chain(elements);
        declared.cloned().chain(keywords().map(str::to_owned)).collect()
    }

    /// Warnings about the text of the machine.
    pub(crate) fn warnings(&self) -> &[Diagnostic] {
        &self.loaded.warnings
    }

    /// The stored names with their values.
    pub(crate) fn kept(&self) -> Shown {
        self.kept.names(&self.loaded.model).map(|(name, text)| shown!("{} = {}\n", name, text)).collect()
    }

    /// The constants and variables that a formula needs: those of the first initial state, under the first set-up that has one; `None` if
    /// there is none.
    fn state_for(&mut self, constants: bool, variables: bool, console: &Console) -> Result<Option<Valuation>, Exit> {
        // No search for a state, which might take long or fail: `1 + 1` has a value in every machine.
        if !constants && !variables {
            return Ok(Some(Valuation::new()));
        }
        if let Some(known) = if variables { &self.state } else { &self.constants } {
            return Ok(Some(known.clone()));
        }
        let machine = Machine::compile(self.original.clone(), self.scope.clone());
        interrupt::run(machine.interrupt());
        let fail = |error: EvalError| no_value(&machine, &error, console);
        // The first one in the order of enumeration, which is the same in every run.
        if self.constants.is_none() {
            let visited = machine.for_each_setup(&mut |set_up| {
                self.constants = Some(set_up);
                ControlFlow::Break(())
            });
            visited.map_err(fail)?;
        }
        if variables && self.constants.is_some() {
            self.state = first_initial(&machine).map_err(fail)?;
        }
        console.show(&assumed(&machine));
        Ok(if variables { self.state.clone() } else { self.constants.clone() })
    }

    /// Reports why no state is available in which to evaluate a formula.
    fn complain_of_no_state(&self, asked: &Asked, console: &Console) -> Exit {
        let (Asked::Value(Formula::Expr(Expr { span, .. }) | Formula::Pred(Pred { span, .. })) | Asked::Names(_, Pred { span, .. })) =
            asked;
        let why = match &self.constants {
            None => "no values of the constants satisfy PROPERTIES, so this has no value",
            Some(_) => "the machine has no initial state, so this has no value",
        };
        let help = "a check of the machine shows why: bcheck MACHINE";
        console.show_one(&Diagnostic::error(Code::IllDefined, *span, why).help(help));
        Exit::NoValue
    }
}

/// The first initial state: not every set-up has one.
fn first_initial(machine: &Machine) -> Result<Option<Valuation>, EvalError> {
    let mut found = Ok(None);
    machine.for_each_setup(&mut |set_up| {
        let mut first = None;
        let result = machine.for_each_initial(&set_up, &mut |initial| {
            first = Some(initial);
            ControlFlow::Break(())
        });
        found = result.map(|()| first);
        if matches!(found, Ok(None)) { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
    })?;
    found
}
