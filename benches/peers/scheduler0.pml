/* machines/classic/scheduler0.mch for SPIN: N processes, each step atomic. */
#ifndef N
#define N 4
#endif

#define UNKNOWN 0
#define IDLE 1
#define READY 2
#define ACTIVE 3

byte pst[N];
bit busy; /* whether somebody is active */

active [N] proctype process() {
  do
  :: d_step { pst[_pid] == UNKNOWN -> pst[_pid] = IDLE }
  :: d_step { pst[_pid] == IDLE -> pst[_pid] = UNKNOWN }
  :: d_step { pst[_pid] == IDLE -> pst[_pid] = READY }
  :: d_step { pst[_pid] == READY && busy == 0 -> pst[_pid] = ACTIVE; busy = 1 }
  :: d_step { pst[_pid] == ACTIVE -> pst[_pid] = IDLE; busy = 0 }
  od
}

#ifdef CLAIM
ltl leaves { [] ((pst[0] == ACTIVE) -> <> (pst[0] != ACTIVE)) }
#endif
