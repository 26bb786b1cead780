//! Machines built from several files, with files in memory.

