-- machines/classic/phonebook.mch for Murphi: N names, N codes. The script sets N.
const
  N: 4;
type
  name: scalarset(N);
  code: scalarset(N);
var
  db: array[name] of code;

startstate "nobody"
begin
  undefine db;
end;

ruleset n: name; c: code do
  rule "add" isundefined(db[n]) ==>
  begin
    db[n] := c;
  end;
end;

ruleset n: name do
  rule "lookup" !isundefined(db[n]) ==>
  begin
  end;

  rule "delete" !isundefined(db[n]) ==>
  begin
    undefine db[n];
  end;
end;

invariant "true" true;
