/* machines/studies/peterson.mch for SPIN: N processes, at most 6, each step atomic. */
#ifndef N
#define N 4
#endif

#define RAISING 0
#define YIELDING 1
#define WAITING 2
#define ENTERING 3
#define CRITICAL 4
#define RESETTING 5

byte flag[N];
byte turn[N]; /* by level, the process, from 1; 0: not decided */
byte place[N];
byte level[N] = 1;

#define LOWER(q) (q >= N || q == _pid || flag[(q) % N] < level[_pid])
#define DECIDE(j) :: d_step { turn[(j) % N] == 0 && j < N -> turn[(j) % N] = _pid + 1 }
#define PASSES (turn[level[_pid]] != _pid + 1 || (LOWER(0) && LOWER(1) && LOWER(2) && LOWER(3) && LOWER(4) && LOWER(5)))

active [N] proctype process() {
  do
  DECIDE(1)
  DECIDE(2)
  DECIDE(3)
  DECIDE(4)
  DECIDE(5)
  :: d_step { place[_pid] == RAISING -> flag[_pid] = level[_pid]; place[_pid] = YIELDING }
  :: d_step { place[_pid] == YIELDING -> turn[level[_pid]] = _pid + 1; place[_pid] = WAITING }
  :: d_step { place[_pid] == WAITING && PASSES && level[_pid] < N - 1 -> level[_pid] = level[_pid] + 1; place[_pid] = RAISING }
  :: d_step { place[_pid] == WAITING && PASSES && level[_pid] == N - 1 -> place[_pid] = ENTERING }
  :: d_step { place[_pid] == ENTERING -> place[_pid] = CRITICAL }
  :: d_step { place[_pid] == CRITICAL -> place[_pid] = RESETTING }
  :: d_step { place[_pid] == RESETTING -> flag[_pid] = 0; level[_pid] = 1; place[_pid] = RAISING }
  od
}

#ifdef CLAIM
ltl served { [] ((place[0] == YIELDING) -> <> (place[0] == CRITICAL)) }
#endif
