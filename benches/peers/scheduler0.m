-- machines/classic/scheduler0.mch for Murphi: N processes. The script sets N.
const
  N: 4;
type
  proc: scalarset(N);
  state: enum {unknown, idle, ready, active};
var
  pst: array[proc] of state;

startstate "none"
begin
  for p: proc do
    pst[p] := unknown;
  end;
end;

ruleset p: proc do
  rule "create" pst[p] = unknown ==>
  begin
    pst[p] := idle;
  end;

  rule "remove" pst[p] = idle ==>
  begin
    pst[p] := unknown;
  end;

  rule "prepare" pst[p] = idle ==>
  begin
    pst[p] := ready;
  end;

  rule "enter" pst[p] = ready & forall q: proc do pst[q] != active end ==>
  begin
    pst[p] := active;
  end;

  rule "leave" pst[p] = active ==>
  begin
    pst[p] := idle;
  end;
end;

invariant "at most one is active"
  forall p: proc do
    forall q: proc do
      p = q | pst[p] != active | pst[q] != active
    end
  end;
