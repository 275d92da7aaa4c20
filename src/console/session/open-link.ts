/**
 * Returns the one-time token of the link that opened this page. Removes it from the address at once, so that the history does not keep it.
 */
export function takeOpenLink(): string | undefined {
  const token = /^#open=([\w-]+)$/.exec(location.hash)?.[1];
  if (token !== undefined) history.replaceState(history.state, "", location.pathname + location.search);
  return token;
}
