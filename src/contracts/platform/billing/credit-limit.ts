/** Credits of a month as the platform reports them. */
export interface MonthCredits {
  cap_micros: number | null;
  granted_micros: number;
  grants_left_micros: number;
}

/** Credits that a tenant may use in the month: the plan's cap and its grants. Null without a cap. */
export const creditLimit = ({
  cap_micros,
  granted_micros,
  grants_left_micros,
}: MonthCredits): number | null =>
  cap_micros === null ? null : cap_micros + granted_micros + grants_left_micros;
