/* machines/classic/phonebook.mch for SPIN: N names, N codes, at most 8. One process for each name, each step atomic. */
#ifndef N
#define N 4
#endif

byte db[N]; /* the code, from 1; 0: none */

#define ADD(c) :: d_step { db[_pid] == 0 -> db[_pid] = c }

active [N] proctype name() {
  do
  ADD(1)
#if N > 1
  ADD(2)
#endif
#if N > 2
  ADD(3)
#endif
#if N > 3
  ADD(4)
#endif
#if N > 4
  ADD(5)
#endif
#if N > 5
  ADD(6)
#endif
#if N > 6
  ADD(7)
#endif
#if N > 7
  ADD(8)
#endif
  :: db[_pid] != 0 /* lookup */
  :: d_step { db[_pid] != 0 -> db[_pid] = 0 }
  od
}

#ifdef CLAIM
#define NONE(i) (db[(i) % N] == 0)
#define EMPTY (NONE(0) && NONE(1) && NONE(2) && NONE(3) && NONE(4) && NONE(5) && NONE(6) && NONE(7))
ltl recurs { ([] <> EMPTY) -> ([] <> EMPTY) }
#endif
