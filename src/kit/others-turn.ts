/** Lets what is waiting go first: for long work between two pieces of it. No timer of the clock's: those don't keep a process alive that is only starting. */
export function othersTurn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
