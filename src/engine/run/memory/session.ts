import { AppError } from "../../../kit/app-error.ts";
import type { SessionKey } from "../../memory/conversation.ts";
import type { MemoryScope } from "../../memory/long-term-memory.ts";
import type { Run } from "../run.ts";

/** No caller's session id contains a control character, so no real run has a session of this form. */
const apart = "\u0001test:";

/** Key of the conversation that a run belongs to. The sessions of tests are apart from those of real runs. */
export function sessionKey({ agent, request: { tenant, sessionId, remember } }: Run): SessionKey {
  const id = remember === "apart" ? `${apart}${sessionId}` : sessionId;
  return { tenant, agent: agent.memoryId ?? agent.name, sessionId: id };
}

const userLengthMax = 255;
const controlCharacter = /\p{Cc}/u;

/** Session and user of a run. Throws as `userOf`. */
export function memoryScopeOf(run: Run): MemoryScope {
  return { ...sessionKey(run), user: userOf(run) };
}

/**
 * The user according to the caller: `user_id` in the context of the top-level run, regardless of the context that models gave nested
 * agents. Throws AppError `invalid_request` if it can't be a user name.
 */
export function userOf(run: Run): string | undefined {
  let first = run;
  while (first.parent !== undefined) first = first.parent.run;
  const { user_id: user } = first.request.context;
  if (user === undefined || user === null || user === "") return undefined;
  const name = typeof user === "number" && Number.isSafeInteger(user) ? String(user) : user;
  if (isUserName(name)) return name;
  const message = `must be text of at most ${userLengthMax} characters without control characters, or a whole number`;
  throw new AppError("invalid", "invalid_request", `The context is not valid: user_id ${message}.`, {
    details: { problems: [{ path: "context.user_id", message }] },
  });
}

function isUserName(value: unknown): value is string {
  return typeof value === "string" && value.length <= userLengthMax && !controlCharacter.test(value);
}
