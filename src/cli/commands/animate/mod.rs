//! `bcheck animate`: one step at a time, driven by typed lines, by a script, or on the whole screen (`screen`).
//!
//! Invariant: the steps before `at` are a run of the machine; those from `at` on were undone, and can be redone until another step is
//! taken. A command that fails changes nothing. Answers go to stdout; with a script, each command is echoed before its answer, so that the
//! output is readable without the script.

mod command;
mod draw;
mod judge;
mod saving;
#[cfg(feature = "screen")]
mod screen;
mod show;
mod smoke;
mod why;

use self::command::{Command, HELP, SET_UPS, parse, split_arguments};
use crate::args::{AnimateArgs, FormatArg};
use crate::commands::replay::resolve::{Resolver, adopt_scope, read_value};
use crate::commands::replay::{read_trace, stop_of};
use crate::exit::{Ended, Exit, complaint};
use crate::io::console::Console;
use crate::io::files;
use crate::io::interrupt::{self, Stage};
use crate::io::output::{self, Output};
use crate::load::{self, Asked, Failure, Loaded};
use bcheck_eval::{EvalError, EvalErrorKind, FIRST_CHOICES, Machine};
use bcheck_explore::{Enabled, Found, Trace, TraceBeginning, TraceStep, Verdict, find_goal, next_steps_folded, random_walk, replay_wanted};
use bcheck_ir::{Operation, OperationId, Scope};
use bcheck_report::picture::Painter;
use bcheck_report::recorded::RecordedTrace;
use bcheck_sema::{Formula, nearest};
use bcheck_source::{Shown, SourceMap, shown};
use bcheck_symmetry::{Mode, Symmetry};
use bcheck_value::Value;
use bcheck_value::display::display;
use std::io::IsTerminal;
use std::sync::Arc;

/// Restores the terminal before the process exits at once.
#[cfg(feature = "screen")]
pub(crate) fn leave_screen() {
    screen::leave();
}

/// The most states that a search from the current one visits.
const SEARCHED: usize = 100_000;

/// Runs an animation until the input ends.
pub(crate) fn run(args: &AnimateArgs) -> Ended {
    let mut console = Console::open(&args.common.messages, FormatArg::Text);
    let (loaded, scope, recorded) = prepare(args, &mut console).map_err(|failure| console.show_failure(&failure))?;
    console.show(&loaded.warnings);
    let mut animation = Animation::new(loaded, scope, console.sources);
    animation.goal.clone_from(&args.goal);
    if args.random.random.is_some() {
        return animation.smoke_run(args.random, recorded.as_ref());
    }
    #[cfg(feature = "screen")]
    // Both must be terminals: a script as input, or a file for the answers, means lines.
    if !args.plain && std::io::stdin().is_terminal() && std::io::stdout().is_terminal() {
        let first = animation.first_message(recorded.as_ref());
        let unusable = |error| crate::exit::complain(&shown!("the terminal cannot be used: {} (--plain does without)", error), Exit::Io);
        return screen::run(&mut animation, first).map(|()| Exit::Done).map_err(unusable);
    }
    animation.converse(recorded.as_ref())
}

fn prepare(args: &AnimateArgs, console: &mut Console) -> Result<(Loaded, Scope, Option<RecordedTrace>), Failure> {
    let (mut loaded, mut scope) = console.load(&args.machine, &args.common, Asked::default(), &args.scope)?;
    // The trace is read before the scope is final: it may supply the sizes with which it was recorded.
    let recorded = args.trace.as_deref().map(|path| read_trace(path, &mut loaded, &mut console.sources)).transpose()?;
    if let Some(recorded) = &recorded {
        adopt_scope(&mut scope, &loaded.model, recorded, &args.scope);
    }
    Ok((loaded, scope, recorded))
}

/// An animation.
struct Animation {
    loaded: Loaded,
    machine: Machine,
    symmetry: Symmetry,
    sources: SourceMap,
    /// The steps taken, followed by those undone.
    steps: Vec<TraceStep>,
    /// The number of steps taken.
    at: usize,
    /// Where the steps begin.
    beginning: TraceBeginning,
    /// How many set-ups are enumerated while the constants have no values.
    sought: usize,
    /// The steps that are possible next; always those of the state after `at` steps.
    enabled: Enabled,
    /// The painter of states, once it was needed.
    painter: Option<Painter>,
    /// The predicate that the starting state must satisfy; taken out once it was searched for.
    goal: Option<String>,
    /// Remarks about the saved trace at its beginning: why it was not followed to its end, what was not compared.
    remarks: Shown,
}

/// The reason why a command did nothing.
type Refusal = Shown;

impl Animation {
    fn new(loaded: Loaded, scope: Scope, sources: SourceMap) -> Self {
        let machine = Machine::compile(Arc::new(loaded.model.clone()), scope);
        machine.take_first_choices(FIRST_CHOICES);
        // Only for the list of choices: symmetric steps share a line, but every step taken is concrete.
        let symmetry = Symmetry::new(machine.model(), machine.scope(), Mode::Exact);
        Self {
            loaded,
            machine,
            symmetry,
            sources,
            steps: Vec::new(),
            at: 0,
            beginning: TraceBeginning::Initialisation,
            sought: SET_UPS,
            enabled: Enabled::default(),
            painter: None,
            goal: None,
            remarks: Shown::new(),
        }
    }

    /// Answers line by line, beginning at the start or at the end of a saved trace.
    fn converse(&mut self, recorded: Option<&RecordedTrace>) -> Ended {
        output::stdin_was_read();
        let stdin = std::io::stdin();
        let asks = stdin.is_terminal();
        if asks {
            interrupt::converse();
        }
        let mut has_failed = false;
        let mut answer = self.begin_with(recorded);
        loop {
            let text = answer.unwrap_or_else(|refusal| {
                has_failed = true;
                shown!("error: {}\n", refusal)
            });
            Output::stdout().put(&if asks { text + shown!("> ") } else { text }).map_err(complaint(Exit::Io))?;
            if interrupt::is_terminated() {
                return Ok(Exit::Verdict(Verdict::Incomplete));
            }
            interrupt::stage(Stage::Waiting);
            let Some(line) = files::read_line(&mut stdin.lock()).map_err(complaint(Exit::Io))? else { break };
            // Someone at a terminal sees what was typed; the output of a script repeats it.
            let echo = if asks || line.trim().is_empty() { Shown::new() } else { shown!("> {}\n", line.trim()) };
            answer = match parse(&line) {
                Ok(Some(Command::Quit)) => {
                    // The animation ends here, whether this can be written or not.
                    let _ = Output::stdout().put(&echo);
                    break;
                }
                Ok(Some(command)) => self.perform(command),
                Ok(None) => Ok(Shown::new()),
                Err(refusal) => Err(refusal.into()),
            };
            answer = answer.map(|text| shown!("{}{}", echo, text)).or_else(|refusal| match echo.as_str() {
                "" => Err(refusal),
                _ => {
                    has_failed = true;
                    Ok(shown!("{}error: {}\n", echo, refusal))
                }
            });
        }
        // The exit code is for scripts: a person has seen every message.
        Ok(if has_failed && !asks { Exit::Unexpected } else { Exit::Done })
    }

    /// The first steps: those of a saved trace, or those without a choice; then those to the requested state.
    fn begin_with(&mut self, recorded: Option<&RecordedTrace>) -> Result<Shown, Refusal> {
        let begun = match recorded {
            Some(recorded) => self.follow(recorded),
            None => self.start(),
        }?;
        match self.goal.take() {
            Some(goal) => Ok(begun + self.find(&goal)?),
            None => Ok(begun),
        }
    }

    /// As [`Animation::begin_with`], but returns findings and remarks only, because the screen shows the steps.
    #[cfg(feature = "screen")]
    fn first_message(&mut self, recorded: Option<&RecordedTrace>) -> Shown {
        match self.begin_with(recorded) {
            Ok(_) => self.findings() + self.remarks.clone(),
            Err(refusal) => refusal,
        }
    }

    /// The sizes, and the first steps as far as there is no choice.
    fn start(&mut self) -> Result<Shown, Refusal> {
        let mut text = shown!("{}: {}\n", self.machine.model().name, show::scope_text(self.machine.model(), self.machine.scope()));
        self.look()?;
        // The set-up of constants, if there are any, and the initialisation.
        let first = self.machine.model().set_up_steps() + 1;
        // Stops at the first choice, even if it is a single line for several symmetric steps.
        while self.at < first && self.enabled.alike.len() == 1 && self.enabled.alike[0].len() == 1 {
            let step = self.enabled.alike[0][0].clone();
            text += self.take(vec![step])?;
        }
        text += self.list(false);
        Ok(text)
    }

    /// The sizes, and the steps of a saved trace as far as they are possible.
    fn follow(&mut self, recorded: &RecordedTrace) -> Result<Shown, Refusal> {
        let mut text = shown!("{}: {}\n", self.machine.model().name, show::scope_text(self.machine.model(), self.machine.scope()));
        self.begin();
        let resolved = Resolver::new(&self.loaded, &self.machine, &mut self.sources).resolve(recorded);
        let replayed = replay_wanted(&self.machine, &resolved.wanted);
        let stop = stop_of(&self.machine, &self.sources, recorded, &resolved, &replayed);
        if replayed.trace.steps.is_empty() {
            self.look()?;
        } else {
            text += self.take_from(replayed.trace.beginning, replayed.trace.steps)?;
        }
        if let Some(stop) = stop {
            self.remarks = shown!("   !  step {} of the trace, {}, cannot be replayed: {}\n", stop.step, stop.title, stop.message);
        }
        self.remarks.extend(resolved.left_out.iter().map(|note| shown!("   !  {}\n", note)));
        text += self.remarks.clone() + self.list(false);
        Ok(text)
    }

    /// The run so far.
    fn run(&self) -> Trace {
        self.trace_of(&self.steps[..self.at])
    }

    /// The given first steps as a trace.
    fn trace_of(&self, steps: &[TraceStep]) -> Trace {
        Trace { beginning: self.beginning, ..Trace::of(steps.to_vec()) }
    }

    fn state(&self) -> &[Value] {
        self.at.checked_sub(1).map_or(&[], |last| self.steps[last].state.as_slice())
    }

    /// Computes the steps that are possible next.
    fn look(&mut self) -> Result<(), Refusal> {
        self.sought = SET_UPS;
        self.look_for_sought()
    }

    fn look_for_sought(&mut self) -> Result<(), Refusal> {
        self.begin();
        self.enabled = next_steps_folded(&self.machine, &self.symmetry, &self.run(), self.sought).map_err(|error| self.reason(&error))?;
        Ok(())
    }

    /// Enumerates more set-ups, and lists the new ones.
    fn more(&mut self, count: usize) -> Result<Shown, Refusal> {
        let known = self.enabled.alike.len();
        if self.at >= self.machine.model().set_up_steps() || !self.enabled.is_cut {
            return Err(shown!("there are no more set-ups of constants to choose from here"));
        }
        let before = self.sought;
        self.sought = before.saturating_add(count);
        // On failure, everything is as before.
        self.look_for_sought().inspect_err(|_| self.sought = before)?;
        Ok(show::enabled(self.machine.model(), self.state(), &self.enabled, known..self.enabled.alike.len()))
    }

    /// Makes Ctrl-C stop the command, not the animation.
    fn begin(&self) {
        interrupt::begin(self.machine.interrupt());
    }

    fn reason(&self, error: &EvalError) -> Refusal {
        match error.kind {
            EvalErrorKind::Interrupted => Shown::line(&interrupt::reason().unwrap_or_else(|| error.kind.to_string())),
            _ => shown!("{}: {}", bcheck_report::diagnostics::place(error.span, &self.sources), error.kind.to_string()),
        }
    }

    // Each command has the full time limit.
    fn perform(&mut self, command: Command) -> Result<Shown, Refusal> {
        self.begin();
        match command {
            Command::Choose(number, of_alike) => {
                let orbit = self.orbit(number)?;
                let step = of_alike.checked_sub(1).and_then(|index| orbit.get(index));
                let step = step.ok_or_else(|| shown!("there are {} symmetric steps, numbered from {}.1", orbit.len(), number))?.clone();
                self.go(vec![step])
            }
            Command::Call(name, arguments) => {
                let step = self.called(&name, arguments.as_deref())?;
                self.go(vec![step])
            }
            Command::List(all) => Ok(self.list(all)),
            Command::More(count) => self.more(count),
            Command::Unfold(number) => {
                let orbit = self.orbit(number)?;
                Ok(show::orbit(self.machine.model(), self.state(), number, orbit))
            }
            Command::Undo(count) => {
                let at = self.at.checked_sub(count).ok_or_else(|| shown!("only {} steps were done", self.at))?;
                self.move_to(at)
            }
            Command::Redo(count) => {
                let left = self.steps.len() - self.at;
                if count > left {
                    return Err(shown!("only {} steps were undone", left));
                }
                self.move_to(self.at + count)
            }
            Command::Jump(step) if step < self.steps.len() => self.move_to(step + 1),
            Command::Jump(_) => Err(match self.steps.len() {
                0 => shown!("no step was done"),
                count => shown!("steps are numbered from 0 to {}", count - 1),
            }),
            Command::Eval(formula) => self.eval(&formula),
            Command::Why(text) => self.why(&text),
            Command::Changes(step) => self.changes(step),
            Command::Table(name) => self.table(&name),
            Command::Judge(logic, formula) => self.judge(logic, &formula),
            Command::Random(count, seed) => {
                let steps = random_walk(&self.machine, &self.run(), count, seed).map_err(|error| self.reason(&error))?;
                let note = if steps.len() < count { shown!("nothing can follow after {} steps\n", steps.len()) } else { Shown::new() };
                Ok(self.go(steps)? + note)
            }
            Command::Find(predicate) => self.find(&predicate),
            Command::Save(file) => self.save(&file),
            Command::Picture => self.picture(),
            Command::State => Ok(show::state(self.machine.model(), self.state())),
            Command::Trace => Ok(bcheck_report::trace::text(&bcheck_report::named_steps(self.machine.model(), &self.run()))),
            Command::Help => Ok(Shown::lines(HELP)),
            // Both loops exit before performing it.
            Command::Quit => Ok(Shown::new()),
        }
    }

    fn orbit(&self, number: usize) -> Result<&Vec<TraceStep>, Refusal> {
        let choices = &self.enabled.alike;
        number.checked_sub(1).and_then(|index| choices.get(index)).ok_or_else(|| match choices.len() {
            0 => shown!("nothing is enabled here"),
            count => shown!("choices are numbered from 1 to {}", count),
        })
    }

    /// Takes steps; shows the state after them and the steps that are possible next.
    fn go(&mut self, steps: Vec<TraceStep>) -> Result<Shown, Refusal> {
        let text = self.take(steps)?;
        Ok(text + self.list(false))
    }

    fn take(&mut self, steps: Vec<TraceStep>) -> Result<Shown, Refusal> {
        // Another first step in place of the initial one is an initialisation.
        let is_undone = self.at <= self.machine.model().set_up_steps();
        self.take_from(if is_undone { TraceBeginning::Initialisation } else { self.beginning }, steps)
    }

    fn take_from(&mut self, beginning: TraceBeginning, steps: Vec<TraceStep>) -> Result<Shown, Refusal> {
        // The next steps are computed at the new place. On failure (Ctrl-C, a limit), everything is as before.
        let before = (self.steps.clone(), self.at, self.beginning);
        let first = self.at;
        self.steps.truncate(self.at);
        self.steps.extend(steps);
        self.at = self.steps.len();
        self.beginning = beginning;
        if let Err(refusal) = self.look() {
            (self.steps, self.at, self.beginning) = before;
            return Err(refusal);
        }
        Ok(show::steps(self.machine.model(), &self.run(), first) + self.findings())
    }

    fn move_to(&mut self, at: usize) -> Result<Shown, Refusal> {
        // Moved first, because `look` works on the current state; undone if that fails.
        let before = std::mem::replace(&mut self.at, at);
        if let Err(refusal) = self.look() {
            self.at = before;
            return Err(refusal);
        }
        let place = match at.checked_sub(1) {
            None => shown!("at the start\n"),
            Some(last) => shown!("after step {}\n{}", last, show::state(self.machine.model(), self.state())),
        };
        Ok(place + self.findings() + self.list(false))
    }

    /// The violations in the current state.
    fn findings(&self) -> Shown {
        show::findings(&self.machine, &self.sources, &self.run())
    }

    fn list(&self, all: bool) -> Shown {
        let count = self.enabled.alike.len();
        show::enabled(self.machine.model(), self.state(), &self.enabled, 0..if all { count } else { count.min(show::LISTED) })
    }

    fn operation(&self, name: &str) -> Result<(OperationId, &Operation), Refusal> {
        let operations = &self.machine.model().operations;
        let Some((index, _, operation)) = operations.get_full(name) else {
            let near = nearest(name, operations.keys().map(String::as_str));
            let near = near.map(|near| shown!("; a similar name is `{}`", near)).unwrap_or_default();
            return Err(shown!("there is neither a command nor an operation `{}`{} (help lists the commands)", name, near));
        };
        Ok((OperationId(u32::try_from(index).expect("operations have 32-bit ids")), operation))
    }

    /// The arguments of a call, by position or by name; missing ones are open.
    fn arguments(&mut self, name: &str, text: Option<&str>) -> Result<(OperationId, Vec<Option<Value>>), Refusal> {
        let (id, operation) = self.operation(name)?;
        let parameters: Vec<_> = operation.parameters.iter().map(|(name, _, ty)| (name.clone(), ty.clone())).collect();
        let mut values = vec![None; parameters.len()];
        for (index, part) in split_arguments(text.unwrap_or("")).into_iter().enumerate() {
            let named = part.split_once('=').and_then(|(before, value)| {
                let at = parameters.iter().position(|(parameter, _)| parameter == before.trim())?;
                Some((at, value.trim()))
            });
            // `x = a` is an argument by name only if there is a parameter `x`; otherwise the whole text is a value for its position.
            let (at, value) = named.unwrap_or((index, part));
            let (_, ty) = parameters.get(at).ok_or_else(|| match parameters.len() {
                1 => shown!("`{}` has one parameter", name),
                count => shown!("`{}` has {} parameters", name, count),
            })?;
            let value = read_value(&self.loaded, &self.machine, &mut self.sources, value, ty);
            values[at] = Some(value.map_err(|unfit| unfit.in_one_line())?);
        }
        Ok((id, values))
    }

    /// The single step that a call denotes.
    fn called(&mut self, name: &str, text: Option<&str>) -> Result<TraceStep, Refusal> {
        // Open arguments match any value.
        let (id, arguments) = self.arguments(name, text)?;
        let agrees = |step: &&(String, &TraceStep)| {
            step.1.operation == Some(id)
                && arguments.iter().zip(&step.1.arguments).all(|(wanted, given)| wanted.as_ref().is_none_or(|wanted| wanted == given))
        };
        let numbered: Vec<(String, &TraceStep)> = show::numbered(&self.enabled);
        let fitting: Vec<_> = numbered.iter().filter(agrees).collect();
        match fitting.as_slice() {
            [] => Err(shown!("`{}` is not enabled here with these arguments; `why {}` explains it", name, name)),
            [(_, step)] => Ok((*step).clone()),
            several => {
                let numbers: Vec<&str> = several.iter().take(8).map(|(number, _)| number.as_str()).collect();
                let more = if several.len() > 8 { ", …" } else { "" };
                Err(shown!("{} steps fit: choose one of {}{}", several.len(), numbers.join(", "), more))
            }
        }
    }

    /// Reads a formula, and compiles a machine with slots for the names that it binds; the animation forgets these names afterwards.
    fn formula(&mut self, text: &str) -> Result<(Formula, Machine), Refusal> {
        let known = self.loaded.model.locals.len();
        let scope = self.machine.scope().clone();
        let formula = load::formula(&mut self.loaded, Some(&scope), "<formula>", text, &mut self.sources);
        let mut model = self.loaded.model.clone();
        self.loaded.model.locals.truncate(known);
        match formula {
            Ok(formula) => {
                if let Formula::Pred(pred) = &formula {
                    // A state where a predicate holds is searched for as the goal.
                    model.goal = Some(pred.clone());
                }
                let machine = Machine::compile(Arc::new(model), scope);
                interrupt::begin(machine.interrupt());
                Ok((formula, machine))
            }
            Err(Failure::Plain(reason, _)) => Err(reason.into()),
            Err(Failure::Refused(list, _)) => Err(show::diagnostics(&list, &self.sources)),
        }
    }

    fn eval(&mut self, text: &str) -> Result<Shown, Refusal> {
        let (formula, machine) = self.formula(text)?;
        let value = match &formula {
            Formula::Expr(expr) => {
                let compiled = machine.compile_once(expr);
                compiled.evaluate(self.state()).map(|value| display(&value, &*compiled.model()))
            }
            Formula::Pred(pred) => machine.holds(pred, self.state()).map(|holds| if holds { "TRUE" } else { "FALSE" }.to_owned()),
        };
        value.map(|value| shown!("{}\n", value)).map_err(|error| self.reason(&error))
    }

    fn find(&mut self, text: &str) -> Result<Shown, Refusal> {
        let (formula, machine) = self.formula(text)?;
        if matches!(formula, Formula::Expr(_)) {
            return Err(shown!("this is an expression, not a predicate: compare it with something"));
        }
        match find_goal(&machine, &self.run(), SEARCHED).map_err(|error| self.reason(&error))? {
            Found::Here(steps) if steps.is_empty() => Ok(shown!("it holds here\n")),
            Found::Here(steps) => self.go(steps),
            Found::Nowhere(states) => Err(shown!("it holds in none of the {} states that can be reached from here", states)),
            Found::GaveUp(states) => Err(shown!("it holds in none of the first {} states from here; bcheck --goal searches all", states)),
        }
    }
}
