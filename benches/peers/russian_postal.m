-- machines/classic/russian_postal.mch for Murphi: N padlocks. The script sets N.
const
  N: 4;
type
  id: scalarset(N);
  owner: enum {shop, natasha, boris};
var
  box: owner;
  key: array[id] of owner;
  locked: array[id] of boolean;
  stolen: boolean;

startstate "at Natasha's"
begin
  box := natasha;
  for k: id do
    key[k] := shop;
    locked[k] := false;
  end;
  stolen := false;
end;

ruleset k: id do
  rule "buy" key[k] = shop ==>
  begin
    key[k] := box;
  end;

  rule "add_padlock" key[k] = box & !locked[k] ==>
  begin
    locked[k] := true;
  end;

  rule "remove_padlock" key[k] = box & locked[k] ==>
  begin
    locked[k] := false;
  end;
end;

rule "send"
begin
  if box = natasha then
    box := boris;
  else
    box := natasha;
  end;
  if forall k: id do !locked[k] end then
    stolen := true;
  end;
end;

invariant "no padlock without a key"
  box != shop & forall k: id do locked[k] -> key[k] != shop end;
