/**
 * Returns a function to call with each item. `take` gets the items in groups: it is called once `wait` is over and it has finished the group
 * before, with all that have come until then.
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
