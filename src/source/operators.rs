//! The operators of B: one row for each sign and word of formulas, from which every floor makes its tables.
//!
//! Invariant: whatever is listed by operator is made of these rows: tokens, priorities and forms of the tree in `syntax`, operators of the
//! core language with notation and totality in `ir`, typing rules in `sema`, help in `cli`. So an operator is added here, and what else it
//! needs does not compile or fails a test. Deliberately elsewhere: what an operator means (`eval`, `value`), and tokens that are no part of
//! formulas (`syntax::token`).
//!
//! The table is a macro and not a constant: `syntax` and `ir` must not know each other's types, so the rows hold names, and each floor
//! makes its own enums and matches of the columns that it knows. A match on an operator stays a match.

/// Calls a macro with all rows, after a list of what else the caller gives it: `[more] { row } { row } …`.
///
/// The columns of a row, each in parentheses:
/// 1. The token, with its spellings; the first is the ASCII one, which messages and printers use.
/// 2. What the parser makes of it: `infix OP PRIORITY ASSOCIATIVITY` (a higher priority binds tighter, all of one priority associate the
///    same way), `exchanged OP PRIORITY` (that operator with its sides exchanged), `constant NAME`, `call NAME LEAST MOST` (a word with so
///    many arguments). Nothing where the grammar has a rule of its own, as for binders.
/// 3. What it is in the core language: `unary OP TOTALITY`, `binary OP TOTALITY` (a notation before it replaces the spelling),
///    `compare OP`, `relations KIND FLAGS` (a set of relations that have these properties). Nothing where it is expressed by other
///    operators.
/// 4. The types: of the operands, and of the result. Letters are any types, `where A = B in first` demands that two are the same and
///    reports a clash at the first operand. `own RULE` is a rule of its own in `sema`; `predicate` makes no expression.
/// 5. For help pages: the form, the meaning in a sentence, and an example, a true predicate with integers from -1 to 3.
///
/// Topic by topic, in the order of the page `language`.
#[macro_export]
macro_rules! operators {
    ($callback:ident $($more:tt)*) => {
        $callback! {
        [$($more)*]
        // Predicates.
        { (Implies "=>" "⇒" "⟹") (infix Implies 30 Left) () (predicate)
            ("P => Q", "if P holds, so does Q; binds less tightly than & and or", "1 > 2 => 3 = 4") }
        { (Equivalent "<=>" "⇔" "⟺") (infix Equivalent 60 Left) () (predicate) ("P <=> Q", "both hold, or neither", "1 < 2 <=> 3 < 4") }
        // One priority for both: `a & b or c & d` is `((a & b) or c) & d`.
        { (And "&" "∧") (infix And 40 Left) () (predicate) ("P & Q", "both hold; Q may rely on P", "1 < 2 & 2 < 3") }
        { (Or "or" "∨") (infix Or 40 Left) () (predicate) ("P or Q", "at least one of them holds", "1 > 2 or 2 < 3") }
        { (Not "not" "¬") (call Not 1 1) () (predicate) ("not(P)", "P does not hold", "not(1 > 2)") }
        { (Forall "!" "∀") () () () ("!x.(P => Q)", "for all x: every x that satisfies P satisfies Q", "!x.(x : 1..3 => x < 4)") }
        { (Exists "#" "∃") () () () ("#x.(P)", "there is an x that satisfies P", "#x.(x : 1..3 & x * x = 4)") }
        { (Equal "=") (infix Equal 110 None) (compare Equal) (predicate)
            ("a = b", "a and b are the same value; in a header, it separates an operation from its body", "{1, 2} = {2, 1}") }
        { (NotEqual "/=" "≠") (infix NotEqual 110 None) (compare NotEqual) (predicate)
            ("a /= b", "a and b are different values", "1 /= 2") }
        { (Colon ":" "∈") (infix Member 110 None) (compare Member) (predicate)
            ("a : S", "a is an element of S; x :(P) assigns a value for which P holds", "2 : {1, 2, 3}") }
        { (NotMember "/:" "∉") (infix NotMember 110 None) (compare NotMember) (predicate)
            ("a /: S", "a is no element of S", "4 /: {1, 2, 3}") }
        { (Subset "<:" "⊆") (infix Subset 110 None) (compare Subset) (predicate)
            ("S <: T", "every element of S is one of T", "{1, 2} <: {1, 2, 3}") }
        { (NotSubset "/<:" "⊈") (infix NotSubset 110 None) (compare NotSubset) (predicate)
            ("S /<: T", "some element of S is none of T", "{1, 4} /<: {1, 2, 3}") }
        { (StrictSubset "<<:" "⊂" "⊊") (infix StrictSubset 110 None) (compare StrictSubset) (predicate)
            ("S <<: T", "S is a subset of T and not equal to it", "{1} <<: {1, 2}") }
        { (NotStrictSubset "/<<:" "⊄") (infix NotStrictSubset 110 None) (compare NotStrictSubset) (predicate)
            ("S /<<: T", "S is no proper subset of T", "{1, 2} /<<: {1, 2}") }
        // Not in B's manuals, but in other notations of sets: read with the sides exchanged, so that no later pass knows of them.
        { (Superset "⊇") (exchanged Subset 110) () () ("S ⊇ T", "T is a subset of S", "{1, 2} ⊇ {1}") }
        { (NotSuperset "⊉") (exchanged NotSubset 110) () () ("S ⊉ T", "T is no subset of S", "{1} ⊉ {1, 2}") }
        { (StrictSuperset "⊃") (exchanged StrictSubset 110) () () ("S ⊃ T", "T is a proper subset of S", "{1, 2} ⊃ {1}") }
        { (NotStrictSuperset "⊅") (exchanged NotStrictSubset 110) () () ("S ⊅ T", "T is no proper subset of S", "{1, 2} ⊅ {1, 2}") }
        { (Contains "∋") (exchanged Member 110) () () ("S ∋ a", "a is an element of S", "{1, 2} ∋ 1") }
        { (NotContains "∌") (exchanged NotMember 110) () () ("S ∌ a", "a is no element of S", "{1, 2} ∌ 3") }
        { (Less "<") (infix Less 110 None) (compare Less) (predicate) ("a < b", "a is less than b", "1 < 2") }
        { (LessEqual "<=" "≤") (infix LessEqual 110 None) (compare LessEqual) (predicate) ("a <= b", "a is at most b", "2 <= 2") }
        { (Greater ">") (infix Greater 110 None) (compare Greater) (predicate) ("a > b", "a is greater than b", "2 > 1") }
        { (GreaterEqual ">=" "≥") (infix GreaterEqual 110 None) (compare GreaterEqual) (predicate) ("a >= b", "a is at least b", "2 >= 2") }
        { (BTrue "btrue" "⊤") (constant BTrue) () () ("btrue", "the predicate that always holds", "btrue") }
        { (BFalse "bfalse" "⊥") (constant BFalse) () () ("bfalse", "the predicate that never holds", "not(bfalse)") }
        { (BoolOf "bool") (call BoolOf 1 1) () (own BoolOf)
            ("bool(P)", "TRUE if P holds, else FALSE: a predicate as a value", "bool(1 < 2) = TRUE") }
        { (Finite "@finite") (call Finite 1 1) () (predicate) ("@finite(S)", "S has finitely many elements", "@finite({1, 2})") }
        { (Partition "@partition") (call Partition 1 usize::MAX) () (predicate)
            ("@partition(S, A, B)", "S is the union of the others, which have no elements in common",
                "@partition({1, 2, 3}, {1}, {2, 3})") }
        { (OfType "⦂") (infix OfType 120 Left) () (own OfType) ("e ⦂ T", "e, which has the type of the elements of T", "1 ⦂ INTEGER = 1") }
        // Values and sets of values.
        { (True "TRUE") (constant True) () () ("TRUE", "the truth value of what holds; a value, not a predicate", "TRUE : BOOL") }
        { (False "FALSE") (constant False) () ()
            ("FALSE", "the truth value of what does not hold; a value, not a predicate", "FALSE : BOOL") }
        { (Bool "BOOL" "𝔹") (constant Bool) () () ("BOOL", "the set of both truth values", "BOOL = {TRUE, FALSE}") }
        { (Integer "INTEGER" "ℤ") (constant Integer) () () ("INTEGER", "the set of all integers", "-5 : INTEGER") }
        { (Natural "NATURAL" "ℕ") (constant Natural) () () ("NATURAL", "the set of all integers from 0 on", "0 : NATURAL") }
        { (Natural1 "NATURAL1" "ℕ1" "ℕ₁") (constant Natural1) () () ("NATURAL1", "the set of all integers from 1 on", "0 /: NATURAL1") }
        { (Int "INT") (constant Int) () () ("INT", "the integers from MININT to MAXINT", "INT = MININT..MAXINT") }
        { (Nat "NAT") (constant Nat) () () ("NAT", "the integers from 0 to MAXINT", "NAT = 0..MAXINT") }
        { (Nat1 "NAT1") (constant Nat1) () () ("NAT1", "the integers from 1 to MAXINT", "NAT1 = 1..MAXINT") }
        { (MinInt "MININT") (constant MinInt) () ()
            ("MININT", "the least integer of INT: --minint, or SET_PREF_MININT in DEFINITIONS", "MININT : INT") }
        { (MaxInt "MAXINT") (constant MaxInt) () ()
            ("MAXINT", "the greatest integer of INT: --maxint, or SET_PREF_MAXINT in DEFINITIONS", "MAXINT : INT") }
        { (StringSet "STRING") (constant String) () () ("STRING", "the set of all strings", "\"abc\" : STRING") }
        { (Real "REAL" "ℝ") (constant Real) () () ("REAL", "the set of all real numbers; not supported here", "1.5 : REAL") }
        { (Float "FLOAT") (constant Float) () () ("FLOAT", "the set of all floating-point numbers; not supported here", "1.5 : FLOAT") }
        // Sets.
        // One priority for all operators of sets, relations and sequences: `a \/ b /\ c` is `(a \/ b) /\ c`.
        { (Union "\\/" "∪") (infix Union 160 Left) (binary Union Total) ((set A), (set A) => (set A))
            ("S \\/ T", "the union: what is in S, in T or in both", "{1, 2} \\/ {2, 3} = {1, 2, 3}") }
        { (Intersection "/\\" "∩") (infix Intersection 160 Left) (binary Intersection Total) ((set A), (set A) => (set A))
            ("S /\\ T", "the intersection: what is in both S and T", "{1, 2} /\\ {2, 3} = {2}") }
        // The core language has one notation for differences, that of integers.
        { (SetMinus "\\" "∖") (infix SetMinus 180 Left) (binary Difference "-" Total) ((set A), (set A) => (set A))
            ("S \\ T", "the difference: what is in S and not in T", "{1, 2} \\ {2, 3} = {1}") }
        { (EmptySet "∅") () () () ("∅", "the set without elements, {}", "∅ = {1} - {1}") }
        { (Pow "POW" "ℙ") (call Pow 1 1) (unary Pow Total) ((set A) => (set (set A)))
            ("POW(S)", "the set of all subsets of S", "POW({1}) = {{}, {1}}") }
        { (Pow1 "POW1" "ℙ1" "ℙ₁") (call Pow1 1 1) (unary Pow1 Total) ((set A) => (set (set A)))
            ("POW1(S)", "the set of all subsets of S but the empty one", "POW1({1}) = {{1}}") }
        { (Fin "FIN") (call Fin 1 1) (unary Fin Total) ((set A) => (set (set A)))
            ("FIN(S)", "the set of all finite subsets of S", "{1, 2} : FIN(NATURAL)") }
        { (Fin1 "FIN1") (call Fin1 1 1) (unary Fin1 Total) ((set A) => (set (set A)))
            ("FIN1(S)", "the set of all finite subsets of S but the empty one", "{} /: FIN1(NATURAL)") }
        // Infinite sets have no cardinality, and those that are members of the operand are not united.
        { (Card "card") (call Card 1 1) (unary Card OnFiniteTypes) ((set A) => Integer)
            ("card(S)", "the number of elements of S", "card({1, 2, 2}) = 2") }
        { (GeneralUnion "union") (call GeneralUnion 1 1) (unary GeneralUnion OnFiniteTypes) ((set (set A)) => (set A))
            ("union(SS)", "the union of all sets in SS", "union({{1}, {1, 2}}) = {1, 2}") }
        { (GeneralInter "inter") (call GeneralInter 1 1) (unary GeneralInter Partial) ((set (set A)) => (set A))
            ("inter(SS)", "the intersection of all sets in SS, of which there must be one", "inter({{1}, {1, 2}}) = {1}") }
        { (QuantifiedUnion "UNION" "⋃") () () ()
            ("UNION x.(P | S)", "the union of the sets S for all x that satisfy P", "UNION x.(x : 1..2 | {x, x + 1}) = 1..3") }
        { (QuantifiedInter "INTER" "⋂") () () ()
            ("INTER x.(P | S)", "the intersection of the sets S for all x that satisfy P, of which there must be one",
                "INTER x.(x : 1..2 | {x, 2}) = {2}") }
        { (Interval ".." "‥") (infix Interval 170 Left) (binary Interval Total) (Integer, Integer => (set Integer))
            ("a..b", "the integers from a to b; none if a is greater than b", "1..3 = {1, 2, 3}") }
        // Numbers.
        // Integers have no bounds, so that every sum and product has a value; one beyond the limit on bits is an error of its own.
        { (Plus "+") (infix Plus 180 Left) (binary Add Total) (Integer, Integer => Integer) ("a + b", "the sum", "1 + 2 = 3") }
        { (Minus "-" "−") (infix Minus 180 Left) (unary Negate Total, binary Subtract Total) (own Overloaded)
            ("a - b", "the difference of numbers, or of sets: what is in the first and not in the second",
                "3 - 2 = 1 & {1, 2} - {2} = {1}") }
        { (Times "*" "×" "∗" "⨯") (infix Times 190 Left) (binary Multiply Total, binary Product Total) (own Overloaded)
            ("a * b", "the product of numbers, or of sets: all pairs of an element of each",
                "2 * 3 = 6 & {1} * {2, 3} = {1 |-> 2, 1 |-> 3}") }
        { (Divide "/" "÷") (infix Divide 190 Left) (binary Divide Partial) (Integer, Integer => Integer)
            ("a / b", "the quotient, rounded towards zero", "7 / 2 = 3 & -7 / 2 = -3") }
        { (Modulo "mod") (infix Modulo 190 Left) (binary Modulo Partial) (Integer, Integer => Integer)
            ("a mod b", "the remainder of a / b, for a from 0 on and b from 1 on", "7 mod 2 = 1") }
        { (Power "**" "˄") (infix Power 200 Right) (binary Power Partial) (Integer, Integer => Integer)
            ("a ** b", "a to the power of b", "2 ** 3 = 8") }
        { (Succ "succ") (constant Succ call Succ 1 1) () (own Successor) ("succ(n)", "n + 1", "succ(1) = 2") }
        { (Pred "pred") (constant Pred call Pred 1 1) () (own Predecessor) ("pred(n)", "n - 1", "pred(1) = 0") }
        { (Min "min") (call Min 1 1) (unary Min Partial) ((set Integer) => Integer)
            ("min(S)", "the least number in S, which must have one", "min({2, 3}) = 2") }
        { (Max "max") (call Max 1 1) (unary Max Partial) ((set Integer) => Integer)
            ("max(S)", "the greatest number in S, which must have one", "max({2, 3}) = 3") }
        { (Sigma "SIGMA" "∑") () () () ("SIGMA x.(P | e)", "the sum of e over all x that satisfy P", "SIGMA x.(x : 1..3 | x * x) = 14") }
        { (Pi "PI" "∏") () () () ("PI x.(P | e)", "the product of e over all x that satisfy P", "PI x.(x : 1..3 | x) = 6") }
        // Relations.
        { (Maplet "|->" "↦") (infix Maplet 160 Left) (binary Pair Total) (own Pair) ("a |-> b", "the pair of a and b", "1 |-> 2 = (1, 2)") }
        { (Relations "<->" "<−>" "↔") (infix Relations 125 Left) (relations Relations) ((set A), (set B) => (set (A <-> B)))
            ("S <-> T", "the set of all relations between S and T", "{1 |-> 2, 1 |-> 3} : 1..2 <-> 2..3") }
        { (Dom "dom") (call Dom 1 1) (unary Domain Total) ((A <-> B) => (set A))
            ("dom(r)", "the domain: the first components of the pairs of r", "dom({1 |-> 2, 1 |-> 3}) = {1}") }
        { (Ran "ran") (call Ran 1 1) (unary Range Total) ((A <-> B) => (set B))
            ("ran(r)", "the range: the second components of the pairs of r", "ran({1 |-> 2, 1 |-> 3}) = {2, 3}") }
        { (Inverse "~" "∼" "⁻¹") () (unary Inverse Total) () ("r~", "the inverse: every pair of r turned round", "{1 |-> 2}~ = {2 |-> 1}") }
        { (Semicolon ";") (infix Compose 20 Left) (binary Compose Total) ((A <-> B), (C <-> D) where B = C in second => (A <-> D))
            ("(r ; s)", "first r, then s; between substitutions: one after the other; else it separates",
                "({1 |-> 2} ; {2 |-> 3}) = {1 |-> 3}") }
        // Unlike `;`, it needs no brackets.
        { (BackwardCompose "∘") (exchanged Compose 160) () () ("r ∘ s", "first s, then r", "{2 |-> 3} ∘ {1 |-> 2} = {1 |-> 3}") }
        { (Parallel "||" "∥" "‖") (infix ParallelProduct 20 Left)
            (binary ParallelProduct Total) ((A <-> B), (C <-> D) => ((A * C) <-> (B * D)))
            ("(r || s)", "both on pairs, r on the first components and s on the second; of substitutions: both at once",
                "({1 |-> 2} || {3 |-> 4}) = {(1, 3) |-> (2, 4)}") }
        { (DirectProduct "><" "⊗") (infix DirectProduct 160 Left)
            (binary DirectProduct Total) ((A <-> B), (C <-> D) where A = C in second => (A <-> (B * D)))
            ("r >< s", "each x with the pairs of what r and what s relate it to", "{1 |-> 2} >< {1 |-> 3} = {1 |-> (2, 3)}") }
        { (Id "id") (call Id 1 1) (unary Identity Total) ((set A) => (A <-> A))
            ("id(S)", "the identity: each element of S with itself", "id({1, 2}) = {1 |-> 1, 2 |-> 2}") }
        { (DomainRestrict "<|" "◁") (infix DomainRestrict 160 Left)
            (binary DomainRestrict Total) ((set C), (A <-> B) where A = C in first => (A <-> B))
            ("S <| r", "the pairs of r whose first component is in S", "{1} <| {1 |-> 2, 3 |-> 4} = {1 |-> 2}") }
        { (DomainSubtract "<<|" "⩤" "◀") (infix DomainSubtract 160 Left)
            (binary DomainSubtract Total) ((set C), (A <-> B) where A = C in first => (A <-> B))
            ("S <<| r", "the pairs of r whose first component is not in S", "{1} <<| {1 |-> 2, 3 |-> 4} = {3 |-> 4}") }
        { (RangeRestrict "|>" "▷") (infix RangeRestrict 160 Left) (binary RangeRestrict Total) ((A <-> B), (set B) => (A <-> B))
            ("r |> S", "the pairs of r whose second component is in S", "{1 |-> 2, 3 |-> 4} |> {2} = {1 |-> 2}") }
        { (RangeSubtract "|>>" "⩥" "▶") (infix RangeSubtract 160 Left) (binary RangeSubtract Total) ((A <-> B), (set B) => (A <-> B))
            ("r |>> S", "the pairs of r whose second component is not in S", "{1 |-> 2, 3 |-> 4} |>> {2} = {3 |-> 4}") }
        { (Override "<+" "⋖" "\u{E103}") (infix Override 160 Left) (binary Override Total) ((A <-> B), (A <-> B) => (A <-> B))
            ("r <+ s", "r overridden by s: where s says something, it counts", "{1 |-> 2, 3 |-> 4} <+ {1 |-> 5} = {1 |-> 5, 3 |-> 4}") }
        { (Closure "closure") (call Closure 1 1) () (own Closure)
            ("closure(r)", "the reflexive transitive closure: pairs of zero or more steps of r", "(1, 3) : closure({1 |-> 2, 2 |-> 3})") }
        { (Closure1 "closure1") (call Closure1 1 1) (unary Closure1 Total) ((A <-> B) where A = B in first => (A <-> B))
            ("closure1(r)", "the transitive closure: pairs of one or more steps of r",
                "closure1({1 |-> 2, 2 |-> 3}) = {1 |-> 2, 2 |-> 3, 1 |-> 3}") }
        { (Iterate "iterate") (call Iterate 2 2) (binary Iterate Partial) ((A <-> B), Integer where A = B in first => (A <-> B))
            ("iterate(r, n)", "r composed n times with itself", "iterate({1 |-> 2, 2 |-> 3}, 2) = {1 |-> 3}") }
        { (Prj1 "prj1") (call Prj1 1 2) (unary First2 Total, binary Projection1 Total) (own Projection)
            ("prj1(S, T)", "the function from pairs to their first components; S and T may be left out before an argument",
                "prj1({1}, {2})(1, 2) = 1") }
        { (Prj2 "prj2") (call Prj2 1 2) (unary Second2 Total, binary Projection2 Total) (own Projection)
            ("prj2(S, T)", "the function from pairs to their second components; S and T may be left out before an argument",
                "prj2({1}, {2})(1, 2) = 2") }
        { (Fnc "fnc") (call Fnc 1 1) (unary Function Total) ((A <-> B) => (A <-> (set B)))
            ("fnc(r)", "the function from each x of the domain of r to the set of what r relates it to",
                "fnc({1 |-> 2, 1 |-> 3}) = {1 |-> {2, 3}}") }
        { (Rel "rel") (call Rel 1 1) (unary Relation OnFiniteTypes) ((A <-> (set B)) => (A <-> B))
            ("rel(f)", "the relation of each x with the elements of the set f(x)", "rel({1 |-> {2, 3}}) = {1 |-> 2, 1 |-> 3}") }
        { (TotalRelations "<<->" "<<−>" "\u{E100}") (infix TotalRelations 125 Left)
            (relations TotalRelations total) ((set A), (set B) => (set (A <-> B)))
            ("S <<-> T", "the total relations: every element of S is related to one of T", "{1 |-> 2} : {1} <<-> {2, 3}") }
        { (SurjectiveRelations "<->>" "<−>>" "\u{E101}") (infix SurjectiveRelations 125 Left)
            (relations SurjectiveRelations surjective) ((set A), (set B) => (set (A <-> B)))
            ("S <->> T", "the surjective relations: every element of T is related to one of S", "{1 |-> 2} : {1, 3} <->> {2}") }
        { (TotalSurjectiveRelations "<<->>" "<<−>>" "\u{E102}") (infix TotalSurjectiveRelations 125 Left)
            (relations TotalSurjectiveRelations total surjective) ((set A), (set B) => (set (A <-> B)))
            ("S <<->> T", "the relations that are total and surjective", "{1 |-> 2} : {1} <<->> {2}") }
        // Functions.
        { (PartialFunctions "+->" "+−>" "⇸") (infix PartialFunctions 125 Left)
            (relations PartialFunctions functional) ((set A), (set B) => (set (A <-> B)))
            ("S +-> T", "the partial functions: each element of S has at most one value in T", "{1 |-> 2} : 1..2 +-> 1..2") }
        { (TotalFunctions "-->" "−−>" "→") (infix TotalFunctions 125 Left)
            (relations TotalFunctions total functional) ((set A), (set B) => (set (A <-> B)))
            ("S --> T", "the total functions: each element of S has exactly one value in T", "{1 |-> 2, 2 |-> 2} : 1..2 --> 1..2") }
        { (PartialInjections ">+>" "⤔") (infix PartialInjections 125 Left)
            (relations PartialInjections functional injective) ((set A), (set B) => (set (A <-> B)))
            ("S >+> T", "the partial injections: no two elements of S have the same value", "{1 |-> 2} : 1..2 >+> 1..2") }
        { (TotalInjections ">->" ">−>" "↣") (infix TotalInjections 125 Left)
            (relations TotalInjections total functional injective) ((set A), (set B) => (set (A <-> B)))
            ("S >-> T", "the total injections: each element of S has a value of its own", "{1 |-> 2, 2 |-> 3} : 1..2 >-> 1..3") }
        { (PartialSurjections "+->>" "+−>>" "⤀") (infix PartialSurjections 125 Left)
            (relations PartialSurjections functional surjective) ((set A), (set B) => (set (A <-> B)))
            ("S +->> T", "the partial surjections: each element of T is a value", "{1 |-> 2} : 1..2 +->> {2}") }
        { (TotalSurjections "-->>" "−−>>" "↠") (infix TotalSurjections 125 Left)
            (relations TotalSurjections total functional surjective) ((set A), (set B) => (set (A <-> B)))
            ("S -->> T", "the total surjections: each element of S has a value, each of T is one", "{1 |-> 2, 3 |-> 2} : {1, 3} -->> {2}") }
        { (PartialBijections ">+>>") (infix PartialBijections 125 Left)
            (relations PartialBijections functional injective surjective) ((set A), (set B) => (set (A <-> B)))
            ("S >+>> T", "the partial bijections: injective, and each element of T is a value", "{1 |-> 2} : 1..2 >+>> {2}") }
        { (TotalBijections ">->>" ">−>>" "⤖") (infix TotalBijections 125 Left)
            (relations TotalBijections total functional injective surjective) ((set A), (set B) => (set (A <-> B)))
            ("S >->> T", "the bijections: each element of S has a value of its own, each of T is one",
                "{1 |-> 2, 2 |-> 1} : 1..2 >->> 1..2") }
        { (Lambda "%" "λ" "𝜆") () () ()
            ("%x.(P | e)", "the function that maps each x that satisfies P to e", "%x.(x : 1..2 | x * x) = {1 |-> 1, 2 |-> 4}") }
        // Sequences.
        { (EmptySequence "<>") () () () ("<>", "the empty sequence, []", "size(<>) = 0") }
        { (Seq "seq") (call Seq 1 1) (unary Seq Total) ((set A) => (set (seq A)))
            ("seq(S)", "the set of all finite sequences of elements of S", "[1, 2, 1] : seq({1, 2})") }
        { (Seq1 "seq1") (call Seq1 1 1) (unary Seq1 Total) ((set A) => (set (seq A)))
            ("seq1(S)", "the set of all finite sequences of elements of S but the empty one", "[] /: seq1({1})") }
        { (Iseq "iseq") (call Iseq 1 1) (unary Iseq Total) ((set A) => (set (seq A)))
            ("iseq(S)", "the set of all sequences in which no element of S occurs twice", "[1, 2] : iseq(1..3)") }
        { (Iseq1 "iseq1") (call Iseq1 1 1) (unary Iseq1 Total) ((set A) => (set (seq A)))
            ("iseq1(S)", "the same without the empty sequence", "[] /: iseq1(1..3)") }
        { (Perm "perm") (call Perm 1 1) (unary Perm Partial) ((set A) => (set (seq A)))
            ("perm(S)", "the set of all sequences in which each element of S occurs once", "perm({1, 2}) = {[1, 2], [2, 1]}") }
        { (Concat "^" "⌒") (infix Concat 160 Left) (binary Concat Partial) (own Concat)
            ("s ^ t", "the sequence s followed by t", "[1] ^ [2, 3] = [1, 2, 3]") }
        { (InsertFront "->" "−>" "⇾") (infix InsertFront 160 Left) (binary InsertFront Partial) (own InsertFront)
            ("e -> s", "the sequence s with e in front", "1 -> [2] = [1, 2]") }
        { (InsertTail "<-" "⇽") (infix InsertTail 160 Left) (binary InsertTail Partial) ((seq A), A => (seq A))
            ("s <- e", "the sequence s with e at its end", "[1] <- 2 = [1, 2]") }
        { (TakeFirst "/|\\" "↑") (infix TakeFirst 160 Left) (binary TakeFirst Partial) ((seq A), Integer => (seq A))
            ("s /|\\ n", "the first n elements of s", "[1, 2, 3] /|\\ 2 = [1, 2]") }
        { (DropFirst "\\|/" "↓") (infix DropFirst 160 Left) (binary DropFirst Partial) ((seq A), Integer => (seq A))
            ("s \\|/ n", "s without its first n elements", "[1, 2, 3] \\|/ 2 = [3]") }
        { (Size "size") (call Size 1 1) (unary Size Partial) ((seq A) => Integer) ("size(s)", "the length of s", "size([5, 5]) = 2") }
        { (First "first") (call First 1 1) (unary First Partial) ((seq A) => A)
            ("first(s)", "the first element of s, which must have one", "first([1, 2]) = 1") }
        { (Last "last") (call Last 1 1) (unary Last Partial) ((seq A) => A)
            ("last(s)", "the last element of s, which must have one", "last([1, 2]) = 2") }
        { (Front "front") (call Front 1 1) (unary Front Partial) ((seq A) => (seq A))
            ("front(s)", "s without its last element", "front([1, 2]) = [1]") }
        { (Tail "tail") (call Tail 1 1) (unary Tail Partial) ((seq A) => (seq A))
            ("tail(s)", "s without its first element", "tail([1, 2]) = [2]") }
        { (Rev "rev") (call Rev 1 1) (unary Reverse Partial) ((seq A) => (seq A))
            ("rev(s)", "s from its end to its beginning", "rev([1, 2]) = [2, 1]") }
        { (Conc "conc") (call Conc 1 1) (unary ConcatAll Partial) ((seq (seq A)) => (seq A))
            ("conc(ss)", "the sequences in the sequence ss, one after the other", "conc([[1], [2, 3]]) = [1, 2, 3]") }
        // Records.
        { (Struct "struct") () () ()
            ("struct(f : S, g : T)", "the set of all records with a field f in S and a field g in T",
                "rec(f : 1, g : 2) : struct(f : 1..2, g : 1..2)") }
        { (Rec "rec") () () ()
            ("rec(f : a, g : b)", "the record whose field f is a and whose field g is b; without labels, rec(a, b), the type gives them",
                "rec(f : 1, g : 2)'g = 2") }
        { (Prime "'") () () () ("r'f", "the field f of the record r", "rec(f : 1, g : 2)'f = 1") }
        }
    };
}
