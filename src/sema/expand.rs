//! Macro expansion: replaces calls of definitions by their bodies, on the syntax tree.
//!
//! As in ProB there is no hygiene: free names of a body mean whatever they mean where the definition is used, and a name in an argument
//! is captured where the body binds it. Arguments are put in as trees, also where the body binds a parameter (`EX(v) == #v.(v : S)`).
//! The root of an expansion has the span of its use, the parts below keep their own. Invariant: the result contains no name of a
//! definition except where a bound name hides it, and no label except those of a clause's conjuncts.
//! Arguments are expanded first, where the definition is used (applicative order), and put into its body as finished trees; the total
//! output is bounded.

use super::definitions::{Definitions, Macro};
use super::elaborate::counted;
use bcheck_source::{Code, Diagnostic, Span};
use bcheck_syntax::ast::{BinaryOp, DefinitionBody, Expr, ExprKind, Name, Operation, Subst, SubstKind};
use rustc_hash::{FxHashMap, FxHashSet};

/// More tree nodes than this come from a chain of definitions that doubles at each step, not from a machine someone wrote.
const LARGEST_EXPANSION: usize = 2_000_000;

/// One pass of expansion.
pub(super) struct Expander<'a> {
    definitions: &'a Definitions<'a>,
    /// Definitions being expanded, innermost last, with the arguments of each.
    frames: Vec<Frame<'a>>,
    /// Their names.
    open: FxHashSet<&'a str>,
    /// Bound names that hide definitions, innermost last, and how often each is among them.
    bound: Vec<String>,
    hidden: FxHashMap<String, u32>,
    produced: usize,
    /// Errors in definitions and their uses.
    pub(super) diagnostics: Vec<Diagnostic>,
}

struct Frame<'a> {
    name: &'a str,
    /// Each parameter with its argument and the number of nodes in it.
    arguments: Vec<(&'a str, (Expr, usize))>,
}

impl<'a> Expander<'a> {
    /// An expander over these definitions.
    pub(crate) fn new(definitions: &'a Definitions<'a>) -> Self {
        Self {
            definitions,
            frames: Vec::new(),
            open: FxHashSet::default(),
            bound: Vec::new(),
            hidden: FxHashMap::default(),
            produced: 0,
            diagnostics: Vec::new(),
        }
    }

    /// Expands an operation; its parameters and results hide definitions.
    pub(super) fn operation(&mut self, operation: &Operation) -> Operation {
        let mark = self.bound.len();
        // Results and parameters hide definitions in the body only: the name of the operation is not expanded at all.
        let results = self.bind(&operation.results);
        let parameters = self.bind(&operation.parameters);
        let body = self.subst(&operation.body);
        self.unbind(mark);
        Operation { name: operation.name.clone(), refines: operation.refines.clone(), results, parameters, body, span: operation.span }
    }

    /// Expands an expression or predicate, and drops its labels.
    pub(super) fn expr(&mut self, expr: &Expr) -> Expr {
        self.expand(expr, false)
    }

    /// Expands the predicate of a clause. Its conjuncts have labels, for reports; nothing else does, so no later pass that matches a form
    /// can miss it behind a label.
    pub(super) fn clause(&mut self, pred: &Expr) -> Expr {
        self.expand(pred, true)
    }

    fn expand(&mut self, expr: &Expr, keeps_labels: bool) -> Expr {
        // Beyond the limit every node becomes an error without parts, so the pass ends soon after it.
        if !self.afford(1, expr.span) {
            return Expr { kind: ExprKind::Error, span: expr.span };
        }
        let kind = match &expr.kind {
            ExprKind::Ident(name) => return self.ident(name, expr, keeps_labels),
            ExprKind::Apply(function, arguments) => return self.apply(function, arguments, expr.span, keeps_labels),
            ExprKind::Labelled(label, inner) if keeps_labels => ExprKind::Labelled(label.clone(), Box::new(self.expand(inner, true))),
            ExprKind::Labelled(_, inner) => return self.expand(inner, false),
            ExprKind::Binary(BinaryOp::And, left, right) if keeps_labels => {
                ExprKind::Binary(BinaryOp::And, Box::new(self.expand(left, true)), Box::new(self.expand(right, true)))
            }
            // `p$0` of a parameter or a definition p is the old value of the variable that p denotes.
            ExprKind::OldValue(name) => match self.ident(name, expr, false).kind {
                ExprKind::Ident(actual) => ExprKind::OldValue(actual),
                _ => ExprKind::OldValue(name.clone()),
            },
            ExprKind::Integer(_) | ExprKind::Real(_) | ExprKind::String(_) | ExprKind::Constant(_) | ExprKind::Error => expr.kind.clone(),
            ExprKind::Unary(op, operand) => ExprKind::Unary(*op, self.boxed(operand)),
            ExprKind::Binary(op, left, right) => ExprKind::Binary(*op, self.boxed(left), self.boxed(right)),
            ExprKind::CommaPair(left, right) => ExprKind::CommaPair(self.boxed(left), self.boxed(right)),
            ExprKind::Builtin(builtin, arguments) => ExprKind::Builtin(*builtin, self.list(arguments)),
            ExprKind::Image(relation, set) => ExprKind::Image(self.boxed(relation), self.boxed(set)),
            ExprKind::Field(record, field) => ExprKind::Field(self.boxed(record), field.clone()),
            ExprKind::Quantified(quantifier, names, body) => self.scope(names, |this, names| {
                let body = this.boxed(body);
                ExprKind::Quantified(*quantifier, names, body)
            }),
            ExprKind::Binder(binder, names, pred, body) => self.scope(names, |this, names| {
                let pred = this.boxed(pred);
                let body = this.boxed(body);
                ExprKind::Binder(*binder, names, pred, body)
            }),
            ExprKind::Comprehension(names, pred) => self.scope(names, |this, names| {
                let pred = this.boxed(pred);
                ExprKind::Comprehension(names, pred)
            }),
            ExprKind::EventComprehension(names, pred, value) => self.scope(names, |this, names| {
                let pred = this.boxed(pred);
                let value = this.boxed(value);
                ExprKind::EventComprehension(names, pred, value)
            }),
            // The names hide definitions in the equations too, because their left sides are these names.
            ExprKind::Let(names, pred, body) => self.scope(names, |this, names| {
                let pred = this.boxed(pred);
                let body = this.boxed(body);
                ExprKind::Let(names, pred, body)
            }),
            ExprKind::SetExtension(items) => ExprKind::SetExtension(self.list(items)),
            ExprKind::Sequence(items) => ExprKind::Sequence(self.list(items)),
            ExprKind::Record(fields) => ExprKind::Record(self.fields(fields)),
            ExprKind::Struct(fields) => ExprKind::Struct(self.fields(fields)),
            ExprKind::If(condition, then, otherwise) => {
                ExprKind::If(self.boxed(condition), self.boxed(then), otherwise.as_ref().map(|part| self.boxed(part)))
            }
        };
        Expr { kind, span: expr.span }
    }

    /// As [`Self::expr`], below names that are bound outside of the tree and hide definitions.
    pub(super) fn expr_below(&mut self, names: &[Name], expr: &Expr) -> Expr {
        self.scope(names, |this, _| this.expr(expr))
    }

    /// The names bound by binding a name: those of the definition of this name, otherwise the name.
    pub(super) fn bound_as(&mut self, name: &Name) -> Vec<Name> {
        self.scope(std::slice::from_ref(name), |_, names| names)
    }

    /// Counts nodes of the result; false when there are too many.
    fn afford(&mut self, nodes: usize, span: Span) -> bool {
        // The count only grows, so exactly one call sees it pass the limit and reports.
        let before = self.produced;
        self.produced = before.saturating_add(nodes);
        if before < LARGEST_EXPANSION && self.produced >= LARGEST_EXPANSION {
            self.diagnostics.push(
                Diagnostic::error(Code::BadDefinition, span, "the definitions expand to more text than bcheck handles")
                    .label("expansion was stopped here"),
            );
        }
        self.produced < LARGEST_EXPANSION
    }

    fn boxed(&mut self, expr: &Expr) -> Box<Expr> {
        Box::new(self.expand(expr, false))
    }

    fn fields(&mut self, fields: &[(Name, Expr)]) -> Vec<(Name, Expr)> {
        fields.iter().map(|(name, expr)| (name.clone(), self.expr(expr))).collect()
    }

    /// Expands with names bound; `inside` gets the names that take their place.
    fn scope<T>(&mut self, names: &[Name], inside: impl FnOnce(&mut Self, Vec<Name>) -> T) -> T {
        let mark = self.bound.len();
        // Bound, and hiding a definition of its name inside, is the argument of a parameter, not the parameter.
        let names = self.bind(names);
        let result = inside(self, names);
        self.unbind(mark);
        result
    }

    /// Enters bound names: a parameter of the current definition is replaced by its argument, a definition that is a list of names (or one
    /// name) by these names.
    fn bind(&mut self, names: &[Name]) -> Vec<Name> {
        let mut result = Vec::new();
        for name in names {
            let replacement = match self.argument(&name.text) {
                Some(argument) => Some(vec![argument.clone()]),
                None => self.definitions.get(&name.text).filter(|found| found.parameters.is_empty()).and_then(|found| match found.body {
                    DefinitionBody::List(items) => Some(items.clone()),
                    DefinitionBody::Expr(item) => Some(item.unlabelled()).filter(|item| is_name(item)).map(|item| vec![item.clone()]),
                    DefinitionBody::Subst(_) => None,
                }),
            };
            let Some(items) = replacement else {
                result.push(name.clone());
                continue;
            };
            for item in items.iter().flat_map(comma_items) {
                if let ExprKind::Ident(text) = &item.kind {
                    result.push(Name { text: text.clone(), span: name.span });
                } else {
                    self.diagnostics.push(
                        Diagnostic::error(
                            Code::BadDefinition,
                            name.span,
                            format!("`{}` is bound here, so it must stand for a name", name.text),
                        )
                        .label("bound here")
                        .also(item.span, "but this expression takes its place"),
                    );
                    // A binder always binds something; that the argument is not a name is reported above.
                    result.push(name.clone());
                    // Further uses of the parameter are part of the same fault.
                    let mut arguments = self.frames.last_mut().into_iter().flat_map(|frame| &mut frame.arguments);
                    if let Some((_, (argument, _))) = arguments.find(|(parameter, _)| *parameter == name.text) {
                        argument.kind = ExprKind::Error;
                    }
                }
            }
        }
        for name in &result {
            self.bound.push(name.text.clone());
            // Counted, as the same name may be bound at several depths.
            *self.hidden.entry(name.text.clone()).or_default() += 1;
        }
        result
    }

    /// Takes names out of scope: all but the first `outer` ones. A count, not a flag, keeps a definition hidden while an outer binder
    /// still binds its name.
    fn unbind(&mut self, outer: usize) {
        for name in self.bound.drain(outer..) {
            if let Some(count) = self.hidden.get_mut(&name) {
                *count -= 1;
            }
        }
    }

    /// Expands a list of arguments or elements; a definition that is a list contributes all its items.
    pub(super) fn list(&mut self, items: &[Expr]) -> Vec<Expr> {
        let mut result = Vec::with_capacity(items.len());
        items.iter().for_each(|item| self.add_items(item, false, &mut result));
        result
    }

    /// Expands an item of a list, which may be the name of a definition that contributes several.
    fn add_items(&mut self, item: &Expr, keeps_labels: bool, result: &mut Vec<Expr>) {
        match self.list_definition(item) {
            Some((found, body)) => {
                result.extend(self.inside(found, Vec::new(), item.span, |this| this.list(body)).into_iter().flatten());
            }
            None => result.push(self.expand(item, keeps_labels)),
        }
    }

    /// The definition that an item names, if its body is a list.
    fn list_definition(&self, item: &Expr) -> Option<(Macro<'a>, &'a [Expr])> {
        let ExprKind::Ident(name) = &item.unlabelled().kind else { return None };
        let found = self.definition(name).filter(|found| found.parameters.is_empty())?;
        match found.body {
            DefinitionBody::List(body) => Some((found, body)),
            DefinitionBody::Expr(_) | DefinitionBody::Subst(_) => None,
        }
    }

    /// The argument that takes the place of a parameter of the definition being expanded.
    pub(super) fn argument(&self, name: &str) -> Option<&Expr> {
        // Only the innermost frame: parameters of a definition are not visible in the bodies of those that it uses.
        self.frames.last()?.arguments.iter().find(|(parameter, _)| *parameter == name).map(|(_, (argument, _))| argument)
    }

    /// The definition that a name calls here.
    pub(super) fn definition(&self, name: &str) -> Option<Macro<'a>> {
        if self.argument(name).is_some() || self.hidden.get(name).is_some_and(|count| *count > 0) {
            return None;
        }
        self.definitions.get(name)
    }

    /// A name: a parameter, a definition without parameters, or itself.
    fn ident(&mut self, name: &str, expr: &Expr, keeps_labels: bool) -> Expr {
        let known = self.frames.last().and_then(|frame| frame.arguments.iter().find(|(parameter, _)| *parameter == name));
        if let Some(size) = known.map(|(_, (_, size))| *size) {
            // The argument is expanded already. Its copy is paid for before it is made: `D(x) == x + x` doubles at each level of calls.
            let affordable = self.afford(size, expr.span);
            let argument = self.argument(name).filter(|_| affordable).cloned();
            let argument = argument.unwrap_or(Expr { kind: ExprKind::Error, span: expr.span });
            return if keeps_labels { argument } else { without_labels(argument) };
        }
        match self.definition(name) {
            Some(found) => self.call(found, &[], expr.span, keeps_labels),
            None => expr.clone(),
        }
    }

    /// `f(x)`: a call of a definition with parameters, otherwise an application.
    fn apply(&mut self, function: &Expr, arguments: &[Expr], span: Span, keeps_labels: bool) -> Expr {
        if let ExprKind::Ident(name) = &function.kind
            && let Some(found) = self.definition(name)
            && !found.parameters.is_empty()
        {
            return self.call(found, arguments, span, keeps_labels);
        }
        // A definition without parameters may denote a function: `D == f` in `D(x)`.
        let function = self.boxed(function);
        Expr { kind: ExprKind::Apply(function, self.list(arguments)), span }
    }

    /// A call of a definition where an expression or predicate is expected.
    fn call(&mut self, found: Macro<'a>, arguments: &[Expr], span: Span, keeps_labels: bool) -> Expr {
        // Only the kind is taken over: the root of the result gets the span of the use.
        let kind = match found.body {
            DefinitionBody::Expr(body) => self.inside(found, arguments.to_vec(), span, |this| {
                let mut body = this.expand(body, keeps_labels);
                // The labelled formula gets the place of the use as well: it is the conjunct.
                let mut labelled = &mut body.kind;
                while let ExprKind::Labelled(_, inner) = labelled {
                    inner.span = span;
                    labelled = &mut inner.kind;
                }
                body.kind
            }),
            DefinitionBody::List(items) => self.inside(found, arguments.to_vec(), span, |this| {
                let items = this.list(items);
                let span = |left: &Expr, right: &Expr| left.span.to(right.span);
                let pair =
                    |left: Expr, right: Expr| Expr { span: span(&left, &right), kind: ExprKind::CommaPair(left.into(), right.into()) };
                items.into_iter().reduce(pair).map_or(ExprKind::Error, |pairs| pairs.kind)
            }),
            DefinitionBody::Subst(_) => {
                self.diagnostics.push(
                    Diagnostic::error(Code::ExpectedExpression, span, format!("the definition `{}` is a substitution", found.name.text))
                        .label("an expression or predicate is expected here")
                        .also(found.name.span, "defined here"),
                );
                None
            }
        };
        Expr { kind: kind.unwrap_or(ExprKind::Error), span }
    }

    /// Expands the body of a definition with arguments; reports recursion and a wrong number of arguments.
    pub(super) fn inside<T>(&mut self, found: Macro<'a>, arguments: Vec<Expr>, span: Span, body: impl FnOnce(&mut Self) -> T) -> Option<T> {
        let name = &found.name.text;
        // A definition is open while its body is expanded, so a recursive call finds itself here; arguments are not part of a body:
        // `D(D(x))` is not recursion.
        if self.open.contains(name.as_str()) {
            let chain: Vec<&str> =
                self.frames.iter().map(|frame| frame.name).skip_while(|other| *other != name).chain([name.as_str()]).collect();
            self.diagnostics.push(
                Diagnostic::error(Code::RecursiveDefinition, span, format!("the definition `{name}` uses itself"))
                    .label(chain.join(" uses "))
                    .also(found.name.span, "defined here")
                    .help("a definition is replaced by its text, so this would never end; use a constant function for recursion"),
            );
            return None;
        }
        // Before the frame is pushed: names in arguments have their meaning at the use. A list as an argument yields several, each counted
        // with the size of the whole list, which is never too little.
        let mut expanded: Vec<(Expr, usize)> = Vec::with_capacity(arguments.len());
        for argument in &arguments {
            let before = self.produced;
            // An argument may become a conjunct: `ident` drops its labels where it does not.
            let mut items = Vec::new();
            self.add_items(argument, true, &mut items);
            let size = self.produced - before;
            expanded.extend(items.into_iter().map(|item| (item, size)));
        }
        let arguments = expanded;
        if arguments.len() != found.parameters.len() {
            let (wanted, given) = (found.parameters.len(), arguments.len());
            self.diagnostics.push(
                Diagnostic::error(
                    Code::WrongArgumentCount,
                    span,
                    format!("the definition `{name}` takes {}, not {given}", counted(wanted, "argument")),
                )
                .label(format!("{} given", counted(given, "argument")))
                .also(found.name.span, "defined here"),
            );
            return None;
        }
        let arguments = found.parameters.iter().map(|parameter| parameter.text.as_str()).zip(arguments).collect();
        self.frames.push(Frame { name, arguments });
        // Only while the body is expanded: two calls side by side are not recursion.
        self.open.insert(name);
        let result = body(self);
        self.open.remove(name.as_str());
        self.frames.pop();
        Some(result)
    }

    /// Expands a substitution.
    pub(super) fn subst(&mut self, subst: &Subst) -> Subst {
        let kind = match &subst.kind {
            SubstKind::Skip | SubstKind::Error => subst.kind.clone(),
            SubstKind::Assign(targets, values) => {
                let targets = self.list(targets);
                SubstKind::Assign(targets, self.list(values))
            }
            SubstKind::BecomesIn(targets, set) => SubstKind::BecomesIn(self.list(targets), self.boxed(set)),
            SubstKind::BecomesSuchThat(targets, pred) => SubstKind::BecomesSuchThat(self.list(targets), self.boxed(pred)),
            // The replacement of a call may be a substitution of any kind.
            SubstKind::Call { results, name, arguments } => return self.call_subst(results, name, arguments, subst.span),
            SubstKind::Parallel(parts) => SubstKind::Parallel(parts.iter().map(|part| self.subst(part)).collect()),
            SubstKind::Sequence(parts) => SubstKind::Sequence(parts.iter().map(|part| self.subst(part)).collect()),
            SubstKind::Choice(parts) => SubstKind::Choice(parts.iter().map(|part| self.subst(part)).collect()),
            SubstKind::Block(body) => SubstKind::Block(self.boxed_subst(body)),
            SubstKind::Pre(pred, body) => SubstKind::Pre(self.boxed(pred), self.boxed_subst(body)),
            SubstKind::Assert(pred, body) => SubstKind::Assert(self.boxed(pred), self.boxed_subst(body)),
            SubstKind::If(branches, otherwise) => {
                let branches = branches.iter().map(|(pred, body)| (self.expr(pred), self.subst(body))).collect();
                SubstKind::If(branches, otherwise.as_ref().map(|body| self.boxed_subst(body)))
            }
            SubstKind::Select(branches, otherwise) => {
                let branches = branches.iter().map(|(pred, body)| (self.expr(pred), self.subst(body))).collect();
                SubstKind::Select(branches, otherwise.as_ref().map(|body| self.boxed_subst(body)))
            }
            SubstKind::Case(scrutinee, branches, otherwise) => {
                let scrutinee = self.boxed(scrutinee);
                let branches = branches.iter().map(|(values, body)| (self.list(values), self.subst(body))).collect();
                SubstKind::Case(scrutinee, branches, otherwise.as_ref().map(|body| self.boxed_subst(body)))
            }
            SubstKind::Any(names, pred, body) => self.scope(names, |this, names| {
                let pred = this.boxed(pred);
                SubstKind::Any(names, pred, this.boxed_subst(body))
            }),
            SubstKind::Let(names, pred, body) => self.scope(names, |this, names| {
                let pred = this.boxed(pred);
                SubstKind::Let(names, pred, this.boxed_subst(body))
            }),
            SubstKind::Var(names, body) => self.scope(names, |this, names| SubstKind::Var(names, this.boxed_subst(body))),
            SubstKind::While { condition, body, invariant, variant } => SubstKind::While {
                condition: self.boxed(condition),
                body: self.boxed_subst(body),
                invariant: self.boxed(invariant),
                variant: self.boxed(variant),
            },
        };
        Subst { kind, span: subst.span }
    }

    fn boxed_subst(&mut self, subst: &Subst) -> Box<Subst> {
        Box::new(self.subst(subst))
    }
}

fn is_name(expr: &Expr) -> bool {
    matches!(expr.kind, ExprKind::Ident(_))
}

/// An expanded predicate without the labels of its conjuncts.
fn without_labels(expr: Expr) -> Expr {
    match expr.without_label() {
        Expr { kind: ExprKind::Binary(BinaryOp::And, left, right), span } => {
            let (left, right) = (Box::new(without_labels(*left)), Box::new(without_labels(*right)));
            Expr { kind: ExprKind::Binary(BinaryOp::And, left, right), span }
        }
        other => other,
    }
}

/// The items of `(a, b, c)`, or the expression itself, without labels around them.
pub(super) fn comma_items(expr: &Expr) -> Vec<&Expr> {
    let expr = expr.unlabelled();
    match &expr.kind {
        ExprKind::CommaPair(left, right) => {
            let mut items = comma_items(left);
            items.push(right.unlabelled());
            items
        }
        _ => vec![expr],
    }
}

/// The body of a definition with the definitions in it expanded; `None` if it is not an expression or cannot be expanded. The caller then
/// reports that it has no usable value.
pub(super) fn expanded(definitions: &Definitions<'_>, found: Macro<'_>) -> Option<Expr> {
    let DefinitionBody::Expr(body) = found.body else { return None };
    // A separate expander, whose diagnostics are dropped: they would name places inside other definitions, and are reported where a clause
    // uses these.
    let mut expander = Expander::new(definitions);
    let body = expander.expr(body);
    expander.diagnostics.is_empty().then_some(body)
}
