// Without this script all steps are shown one below the other.
(function () {
  var trace = document.getElementById("trace");
  if (!trace) { return; }
  var steps = Array.prototype.slice.call(trace.querySelectorAll(".step"));
  var place = document.getElementById("place");
  var at = 0;
  function show(wanted) {
    at = Math.max(0, Math.min(steps.length - 1, wanted));
    steps.forEach(function (step, index) { step.classList.toggle("shown", index === at); });
    place.textContent = "step " + at + " of " + (steps.length - 1);
  }
  var moves = {
    first: function () { show(0); },
    back: function () { show(at - 1); },
    on: function () { show(at + 1); },
    last: function () { show(steps.length - 1); },
    all: function () { trace.classList.toggle("stepping"); }
  };
  var keys = { Home: "first", ArrowLeft: "back", ArrowRight: "on", End: "last", a: "all" };
  Array.prototype.forEach.call(document.querySelectorAll("button[data-move]"), function (button) {
    button.addEventListener("click", function () { moves[button.dataset.move](); });
  });
  document.addEventListener("keydown", function (event) {
    if (event.ctrlKey || event.altKey || event.metaKey) { return; }
    var move = keys[event.key];
    if (move) { event.preventDefault(); moves[move](); }
  });
  trace.classList.add("stepping");
  show(steps.length - 1);
})();
