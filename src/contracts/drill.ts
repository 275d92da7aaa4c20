/** A promise of a drill, and the measurement that decided it. */
export interface DrillCheck {
  drill: string;
  promise: string;
  held: boolean;
  /** The measured values, with units. */
  measured: string;
}

/** A drill as `argosy drill --list` shows it. */
export interface DrillDescription {
  name: string;
  fault: string;
  /** `drill`: only agents that the drill creates meet the fault; `everyone`: all users of the server do. */
  scope: "drill" | "everyone";
  promises: string[];
}

/** A line of the control socket's answer to a drill. */
export type DrillEvent =
  | { type: "started"; drill: string; fault: string }
  | { type: "checked"; check: DrillCheck }
  | { type: "skipped"; drill: string; reason: string }
  | { type: "failed"; error: string; message: string }
  /** The last line: the server is without injected faults and without the drill's agents. */
  | { type: "ended"; held: number; broken: number };
