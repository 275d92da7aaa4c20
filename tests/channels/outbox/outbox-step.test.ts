import { describe, expect, test } from "bun:test";
import type { SendResult } from "../../../src/channels/outbox/message-sender.ts";
import {
  lifeMs,
  newOutboxState,
  type OutboxInput,
  type OutboxState,
  retryWaitsMs,
  step,
} from "../../../src/channels/outbox/outbox-step.ts";

const now = new Date("2026-03-10T12:00:00.000Z");
const at = (ms: number) => new Date(now.getTime() + ms);
const state = (change: Partial<OutboxState> = {}): OutboxState => ({ ...newOutboxState(now), ...change });
const sending = (change: Partial<OutboxState> = {}) => state({ status: "sending", ...change });

const result = (given: SendResult, hasReceipts = false, spread = 0.5): OutboxInput => ({
  type: "result",
  result: given,
  hasReceipts,
  spread,
});
const retry = (more: Partial<Extract<SendResult, { action: "retry" }>> = {}): SendResult => ({
  action: "retry",
  code: "2",
  isAccountWide: false,
  ...more,
});
const unknown: SendResult = { action: "unknown", code: "send_timed_out" };

type Row = [
  title: string,
  from: OutboxState,
  input: OutboxInput,
  to: Partial<OutboxState>,
  effects?: object[],
];

const rows: Row[] = [
  ["a claim", state(), { type: "claimed" }, { status: "sending" }],
  [
    "a claim ends the wait for a receipt",
    state({ isUnsettled: true }),
    { type: "claimed" },
    { status: "sending", isUnsettled: false },
  ],
  [
    "a process that starts begins the wait for a receipt again",
    state({ isUnsettled: true, dueAt: at(10_000), waitingSince: at(-50_000) }),
    { type: "listened" },
    { isUnsettled: true, dueAt: at(60_000) },
  ],
  [
    "a process that starts 15 minutes after the first try",
    state({ isUnsettled: true, dueAt: at(10_000), waitingSince: at(-15 * 60_000) }),
    { type: "listened" },
    {},
  ],
  ["a process that starts while nothing is unknown", state(), { type: "listened" }, {}],
  ["a process that starts while it is sent", sending({ isUnsettled: true }), { type: "listened" }, {}],
  [
    "a claim after its expiry",
    state({ expiresAt: now }),
    { type: "claimed" },
    { status: "failed", lastError: "expired" },
  ],
  ["a look before its expiry", state({ expiresAt: at(1) }), { type: "looked_at" }, {}],
  [
    "a look after its expiry",
    state({ expiresAt: now }),
    { type: "looked_at" },
    { status: "failed", lastError: "expired" },
  ],
  [
    "a deleted account",
    state(),
    { type: "account_deleted" },
    { status: "failed", lastError: "account_deleted" },
  ],
  ["a deleted account while it is sent", sending(), { type: "account_deleted" }, {}],
  ["sent", sending(), result({ action: "sent" }), { status: "sent" }],
  ["paced", sending(), result({ action: "paced", waitMs: 3_000 }), { status: "pending", dueAt: at(3_000) }],
  [
    "final",
    sending(),
    result({ action: "final", code: "131047" }),
    { status: "failed", attempts: 1, lastError: "131047" },
  ],
  [
    "pause",
    sending(),
    result({ action: "pause", code: "190" }),
    { status: "pending", dueAt: now, lastError: "190", waitingSince: now },
    [{ type: "pause_account", reason: "190" }],
  ],
  [
    "retry",
    sending(),
    result(retry()),
    { status: "pending", attempts: 1, dueAt: at(2_000), lastError: "2", waitingSince: now },
  ],
  [
    "retry, earliest",
    sending(),
    result(retry(), false, 0),
    { status: "pending", attempts: 1, dueAt: at(1_600), lastError: "2", waitingSince: now },
  ],
  [
    "retry, latest",
    sending(),
    result(retry(), false, 1),
    { status: "pending", attempts: 1, dueAt: at(2_400), lastError: "2", waitingSince: now },
  ],
  [
    "retry keeps the time of the first failed try",
    sending({ attempts: 1, waitingSince: at(-5_000) }),
    result(retry()),
    { status: "pending", attempts: 2, dueAt: at(5_000), lastError: "2" },
  ],
  [
    "retry for the whole account",
    sending(),
    result(retry({ isAccountWide: true })),
    { status: "pending", attempts: 1, dueAt: at(2_000), lastError: "2", waitingSince: now },
    [{ type: "quiet_account", until: at(2_000) }],
  ],
  [
    "the provider's wait is not a failed try",
    sending({ attempts: 9 }),
    result(retry({ waitMs: 10_072_000 })),
    { status: "pending", dueAt: at(10_072_000), lastError: "2", waitingSince: now },
  ],
  [
    "the provider's wait for the whole account",
    sending(),
    result(retry({ waitMs: 6_000, isAccountWide: true })),
    { status: "pending", dueAt: at(6_000), lastError: "2", waitingSince: now },
    [{ type: "quiet_account", until: at(6_000) }],
  ],
  ...[0, -5, Number.NaN].map(
    (waitMs): Row => [
      `a wait of ${waitMs} says nothing, so the try has failed`,
      sending({ attempts: 1, waitingSince: at(-5_000) }),
      result(retry({ waitMs, isAccountWide: true })),
      { status: "pending", attempts: 2, dueAt: at(5_000), lastError: "2" },
      [{ type: "quiet_account", until: at(5_000) }],
    ],
  ),
  [
    "a wait of nothing after nine failed tries",
    sending({ attempts: 9 }),
    result(retry({ waitMs: 0 })),
    { status: "failed", attempts: 10, lastError: "2" },
  ],
  [
    "a short wait of a message that waits for 10 seconds",
    sending({ waitingSince: at(-10_000) }),
    result(retry({ waitMs: 1_000 })),
    { status: "pending", dueAt: at(1_000), lastError: "2" },
  ],
  [
    "a short wait of a message that waits for a minute, of which the account's other messages know nothing",
    sending({ waitingSince: at(-60_000) }),
    result(retry({ waitMs: 1_000, isAccountWide: true })),
    { status: "pending", dueAt: at(6_000), lastError: "2" },
    [{ type: "quiet_account", until: at(1_000) }],
  ],
  [
    "a short wait of a message that waits for hours",
    sending({ waitingSince: at(-10 * 3_600_000) }),
    result(retry({ waitMs: 1_000 })),
    { status: "pending", dueAt: at(60_000), lastError: "2" },
  ],
  [
    "the tenth failed try",
    sending({ attempts: 9 }),
    result(retry()),
    { status: "failed", attempts: 10, lastError: "2" },
  ],
  [
    "the ninth failed try",
    sending({ attempts: 8 }),
    result(retry()),
    { status: "pending", attempts: 9, dueAt: at(7_200_000), lastError: "2", waitingSince: now },
  ],
  [
    "the last try that the error allows",
    sending({ attempts: 2 }),
    result(retry({ triesMax: 3 })),
    { status: "failed", attempts: 3, lastError: "2" },
  ],
  [
    "unknown with receipts",
    sending(),
    result(unknown, true),
    {
      status: "pending",
      attempts: 1,
      unknowns: 1,
      isUnsettled: true,
      dueAt: at(60_000),
      lastError: "send_timed_out",
      waitingSince: now,
    },
  ],
  [
    "unknown again with receipts",
    sending({ attempts: 1, unknowns: 1, waitingSince: at(-60_000) }),
    result(unknown, true),
    {
      status: "pending",
      attempts: 2,
      unknowns: 2,
      isUnsettled: true,
      dueAt: at(60_000),
      lastError: "send_timed_out",
    },
  ],
  [
    "unknown without receipts",
    sending(),
    result(unknown),
    {
      status: "pending",
      attempts: 1,
      unknowns: 1,
      dueAt: at(2_000),
      lastError: "send_timed_out",
      waitingSince: now,
    },
  ],
  [
    "unknown again without receipts",
    sending({ attempts: 1, unknowns: 1 }),
    result(unknown),
    { status: "failed", attempts: 2, unknowns: 2, lastError: "outcome_unknown" },
  ],
  [
    "the tenth try unknown",
    sending({ attempts: 9 }),
    result(unknown, true),
    { status: "failed", attempts: 10, lastError: "send_timed_out" },
  ],
  [
    "an expired lease with receipts",
    sending(),
    { type: "lease_expired", hasReceipts: true },
    {
      status: "pending",
      unknowns: 1,
      isUnsettled: true,
      dueAt: at(60_000),
      lastError: "interrupted",
      waitingSince: now,
    },
  ],
  [
    "an expired lease without receipts",
    sending(),
    { type: "lease_expired", hasReceipts: false },
    { status: "pending", unknowns: 1, dueAt: at(2_000), lastError: "interrupted", waitingSince: now },
  ],
  [
    "a second expired lease without receipts",
    sending({ unknowns: 1 }),
    { type: "lease_expired", hasReceipts: false },
    { status: "failed", unknowns: 2, lastError: "outcome_unknown" },
  ],
  [
    "a receipt while it is sent",
    sending(),
    { type: "receipt", arrived: true, isLast: true },
    { status: "sent" },
  ],
  [
    "a receipt settles",
    state({ isUnsettled: true }),
    { type: "receipt", arrived: true, isLast: true },
    { status: "sent", isUnsettled: false },
  ],
  [
    "a receipt after all tries failed",
    state({ status: "failed" }),
    { type: "receipt", arrived: true, isLast: true },
    { status: "sent" },
  ],
  [
    "a receipt of failure settles",
    state({ isUnsettled: true }),
    { type: "receipt", arrived: false, result: { action: "final", code: "131026" }, spread: 0.5 },
    { status: "failed", attempts: 1, isUnsettled: false, lastError: "131026" },
  ],
  [
    "a receipt of a failure that passes",
    state({ isUnsettled: true, attempts: 1, waitingSince: now }),
    { type: "receipt", arrived: false, result: retry(), spread: 0.5 },
    { status: "pending", attempts: 2, isUnsettled: false, dueAt: at(5_000), lastError: "2" },
  ],
  [
    "a receipt of failure for a settled message",
    state(),
    { type: "receipt", arrived: false, result: retry(), spread: 0.5 },
    {},
  ],
  [
    "an operator's retry",
    state({ status: "failed", attempts: 10, unknowns: 2, lastError: "2", expiresAt: at(-1) }),
    { type: "retried" },
    { status: "pending", attempts: 0, unknowns: 0, lastError: null, expiresAt: at(lifeMs) },
  ],
  ["an operator's retry of a waiting message", state(), { type: "retried" }, {}],
];

test.each(rows)("%s", (_title, from, input, to, effects = []) => {
  const made = step(from, input, now);
  expect(made.state).toEqual({ ...from, ...to });
  expect(made.effects).toEqual(effects as typeof made.effects);
  if (Object.keys(to).length === 0) expect(made.state).toBe(from);
});

describe("a closed message stays closed on", () => {
  const inputs: OutboxInput[] = [
    { type: "claimed" },
    { type: "looked_at" },
    { type: "account_deleted" },
    { type: "lease_expired", hasReceipts: true },
    result({ action: "sent" }),
    result(retry()),
    result(unknown, true),
    { type: "receipt", arrived: false, result: retry(), spread: 0.5 },
  ];
  test.each(inputs)("%j", (input) => {
    for (const status of ["sent", "failed"] as const) {
      const closed = state({ status, expiresAt: at(-1) });
      expect(step(closed, input, now).state).toBe(closed);
    }
  });
});

test("a message that fails each time waits as the table says, and fails at the tenth", () => {
  let current = state();
  let clock = now;
  const waits: number[] = [];
  while (current.status === "pending") {
    clock = current.dueAt;
    current = step({ ...current, expiresAt: at(10 * lifeMs) }, { type: "claimed" }, clock).state;
    current = step(current, result(retry()), clock).state;
    if (current.status === "pending") waits.push(current.dueAt.getTime() - clock.getTime());
  }
  expect(waits).toEqual([...retryWaitsMs]);
  expect(current).toMatchObject({ status: "failed", attempts: 10 });
});
