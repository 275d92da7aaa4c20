/** The person's time zone as a parameter; nothing where the browser doesn't know it. */
export function ownTimeZone(): { time_zone?: string } {
  const { timeZone } = new Intl.DateTimeFormat().resolvedOptions();
  return /^[A-Z]\w*(\/[\w+-]+)*$/.test(timeZone) && timeZone !== "Etc/Unknown" ? { time_zone: timeZone } : {};
}
