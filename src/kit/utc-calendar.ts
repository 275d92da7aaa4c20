export const dayMs = 86_400_000;

/** `YYYY-MM` of an instant, in UTC. */
export const monthOf = (at: Date): string => at.toISOString().slice(0, 7);

/** `YYYY-MM-DD` of an instant, in UTC. */
export const dayOf = (at: Date): string => at.toISOString().slice(0, 10);

/** Month after `month`. */
export const monthAfter = (month: string): string =>
  monthOf(new Date(Date.UTC(yearOf(month), monthNumber(month), 1)));

/** Month before `month`. */
export const monthBefore = (month: string): string =>
  monthOf(new Date(Date.UTC(yearOf(month), monthNumber(month) - 2, 1)));

/** Last instant of a month that is not after `now`; for a later month, `now`. */
export const lastInstantOf = (month: string, now: Date): Date => {
  const end = endOfMonth(month).getTime() - 1;
  return end < now.getTime() ? new Date(end) : now;
};

/** First instant of a month. */
export const startOfMonth = (month: string): Date =>
  new Date(Date.UTC(yearOf(month), monthNumber(month) - 1, 1));

/** First instant after a month. */
export const endOfMonth = (month: string): Date => new Date(Date.UTC(yearOf(month), monthNumber(month), 1));

/** Last day of a month, `YYYY-MM-DD`. */
export const lastDayOf = (month: string): string => `${month}-${daysIn(month)}`;

/** Number of days in a month. */
export const daysIn = (month: string): number =>
  new Date(Date.UTC(yearOf(month), monthNumber(month), 0)).getUTCDate();

const yearOf = (month: string) => Number(month.slice(0, 4));
const monthNumber = (month: string) => Number(month.slice(5, 7));
