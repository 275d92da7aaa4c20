/**
 * Returns a function that takes items one by one. `take` gets those that came meanwhile as a group: the first after `wait`, the next when it
 * has ended with the one before, and after `wait` again.
 */
export function inGroups<Item>(
  wait: () => Promise<void>,
  take: (group: readonly Item[]) => Promise<unknown> | undefined,
): (item: Item) => void {
  const gathered: Item[] = [];
  let isTaking = false;
  const takeAll = async () => {
    isTaking = true;
    try {
      while (gathered.length > 0) {
        await wait();
        await take(gathered.splice(0));
      }
    } finally {
      isTaking = false;
    }
  };
  return (item) => {
    gathered.push(item);
    if (!isTaking) void takeAll();
  };
}
