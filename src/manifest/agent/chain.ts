import { Type } from "@sinclair/typebox";
import {
  closed,
  flag,
  list,
  number,
  objectName,
  oneOf,
  template,
  whole,
} from "../schema/schema-vocabulary.ts";

const link = closed({
  agent: objectName({ description: "The agent that runs next." }),
  when: Type.Optional(
    template({
      description:
        "Condition over `output`, `trigger`, `steps`: a Jinja2 template, or an expression without braces; what it reads has to be there. Absent: the link always fires.",
    }),
  ),
  input: Type.Optional(
    template({
      description:
        "Jinja2 template of its query, over the same and `when`; what it reads has to be there. Absent: the answer so far.",
    }),
  ),
  default: flag({ description: "Fires if no `when` of the others held; at most one link.", default: false }),
  retry: closed(
    {
      max_attempts: whole(1, 10, { description: "Attempts, the first included.", default: 1 }),
      backoff: number(0, 300, {
        description: "Seconds before the second attempt; doubled for each further one.",
        default: 1,
      }),
    },
    { description: "What happens when the agent fails.", default: {} },
  ),
  timeout_seconds: Type.Optional(
    whole(1, 3600, {
      description: "Longest attempt of this link, in seconds; absent: the agent's own limit.",
    }),
  ),
  on_error: objectName({
    description: "After the last attempt: `stop`, `continue`, or the name of an agent that runs instead.",
    default: "stop",
    expects: "`stop`, `continue` or the name of an agent",
  }),
});

/** `spec.chain`: the agents that run after this agent's answer. */
export const chainSection = closed(
  {
    mode: oneOf(["sequential", "parallel"], {
      description: "Whether links run one after the other or at once.",
      default: "sequential",
    }),
    max_depth: whole(1, 20, {
      description: "Longest path through the chains of all agents on the way.",
      default: 5,
    }),
    on_complete: list(link, 32, { description: "The links; all whose `when` holds fire.", default: [] }),
  },
  { description: "The agents that run after this one has answered." },
);
