/* machines/classic/russian_postal.mch for SPIN: N padlocks, each step atomic. */
#ifndef N
#define N 4
#endif

#define SHOP 0
#define NATASHA 1
#define BORIS 2

byte box = NATASHA;
byte key[N]; /* who has it */
bit locked[N];
byte padlocks; /* how many are locked */
bit stolen;

active [N] proctype padlock() {
  do
  :: d_step { key[_pid] == SHOP -> key[_pid] = box }
  :: d_step { key[_pid] == box && locked[_pid] == 0 -> locked[_pid] = 1; padlocks++ }
  :: d_step { key[_pid] == box && locked[_pid] == 1 -> locked[_pid] = 0; padlocks-- }
  od
}

active proctype post() {
  do
  :: d_step { box = (NATASHA + BORIS) - box; stolen = (stolen || padlocks == 0) }
  od
}
