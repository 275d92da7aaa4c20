/** The one-time token of the link that opened this page; taken out of the address at once, so that no history keeps it. */
export function takeOpenLink(): string | undefined {
  const token = /^#open=([\w-]+)$/.exec(location.hash)?.[1];
  if (token !== undefined) history.replaceState(history.state, "", location.pathname + location.search);
  return token;
}
