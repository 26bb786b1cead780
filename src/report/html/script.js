// Without this script all steps are shown one below the other.
(function () {
  function prepare(trace) {
    var steps = Array.prototype.slice.call(trace.querySelectorAll(".step"));
    var place = trace.querySelector(".place");
    var at = 0;
    var rounds = 0;
    var loop = trace.dataset.loop === undefined ? -1 : Number(trace.dataset.loop);
    function show(wanted, sign) {
      at = Math.max(0, Math.min(steps.length - 1, wanted));
      steps.forEach(function (step, index) { step.classList.toggle("shown", index === at); });
      place.textContent = "step " + at + " of " + (steps.length - 1);
      if (sign) { place.textContent += "; " + sign; return; }
      if (at === steps.length - 1) { if (trace.dataset.ending) { place.textContent += "; " + trace.dataset.ending; } }
    }
    function on() {
      if (at === steps.length - 1) { if (loop >= 0) { rounds += 1; show(loop, "the loop begins again, round " + (rounds + 1)); return; } }
      show(at + 1);
    }
    var moves = {
      first: function () { rounds = 0; show(0); },
      back: function () { show(at - 1); },
      on: on,
      last: function () { show(steps.length - 1); },
      all: function () { trace.classList.toggle("stepping"); }
    };
    Array.prototype.forEach.call(trace.querySelectorAll("button[data-move]"), function (button) {
      button.addEventListener("click", function () { moves[button.dataset.move](); });
    });
    trace.classList.add("scripted", "stepping");
    show(steps.length - 1);
    return { element: trace, moves: moves };
  }
  var traces = Array.prototype.map.call(document.querySelectorAll(".trace"), prepare);
  // What is wider than its place says so. Parts that are shown later have no width before.
  if (window.ResizeObserver) {
    var observer = new ResizeObserver(function (entries) {
      entries.forEach(function (entry) {
        var part = entry.target;
        part.classList.toggle("scrolls", part.scrollWidth - 1 > part.clientWidth);
      });
    });
    var watch = function (part) { observer.observe(part); };
    Array.prototype.forEach.call(document.querySelectorAll(".wide, pre"), watch);
    // What the script of a graph fills later is measured again when it changes: to observe once more is to be told once more.
    var filled = new MutationObserver(function (changes) {
      changes.forEach(function (change) {
        var around = change.target.closest(".wide");
        if (around) { watch(around); }
        Array.prototype.forEach.call(change.target.querySelectorAll(".wide"), watch);
      });
    });
    Array.prototype.forEach.call(document.querySelectorAll(".state-graph"), function (graph) {
      filled.observe(graph, { childList: true, subtree: true });
    });
  }
  // Objects of a picture that change while the pointer is on one of them: ids, attributes and values that bcheck has let in.
  Array.prototype.forEach.call(document.querySelectorAll("[data-hover]"), function (object) {
    var changes = JSON.parse(object.getAttribute("data-hover"));
    var before = [];
    function leave() {
      before.reverse().forEach(function (old) {
        if (old.value === null) { old.of.removeAttribute(old.name); } else { old.of.setAttribute(old.name, old.value); }
      });
      before = [];
    }
    object.addEventListener("mouseenter", function () {
      leave();
      changes.forEach(function (change) {
        var of = document.getElementById(change[0]);
        if (!of) { return; }
        before.push({ of: of, name: change[1], value: of.getAttribute(change[1]) });
        of.setAttribute(change[1], change[2]);
      });
    });
    object.addEventListener("mouseleave", leave);
  });
  var keys = { Home: "first", ArrowLeft: "back", ArrowRight: "on", End: "last" };
  document.addEventListener("keydown", function (event) {
    if (event.ctrlKey || event.altKey || event.metaKey || event.shiftKey || !keys[event.key]) { return; }
    // The trace that has the focus; without one, the first of the page. Elsewhere the keys do what they always do.
    var where = event.target;
    var own = traces.filter(function (trace) { return trace.element.contains(where); });
    var trace = own[0] || (where === document.body ? traces[0] : undefined);
    if (!trace) { return; }
    // In something that is wider than its place, arrows move that.
    if (/^Arrow/.test(event.key)) { if (where.classList.contains("wide")) { if (where.scrollWidth > where.clientWidth) { return; } } }
    event.preventDefault();
    trace.moves[keys[event.key]]();
  });
})();
