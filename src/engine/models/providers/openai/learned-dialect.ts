import { LatestMap } from "../../../../kit/latest-map.ts";
import { readFieldRefusal } from "../wire/refused-fields.ts";
import {
  type MaxTokensField,
  type OpenaiDialect,
  type OptionalField,
  type SystemRole,
  thoughtFields,
} from "./dialect.ts";

/*
 * What a server has refused of OpenAI's protocol: gateways and reasoning models differ in the name of the answer's limit, in sampling
 * parameters, in the role of instructions. A refusal that names a field is answered by the same request without it, once; later requests
 * to that model leave it out from the start.
 */

/** Fields that we send on our own account: a server that names one of them in a refusal gets none, whatever its words. */
const ownFields: readonly OptionalField[] = [
  "stream_options",
  "parallel_tool_calls",
  "tool_choice",
  "include",
];

/** Fields that an agent or a caller chooses: left out only if the server says that it does not support them. */
const chosenFields: readonly OptionalField[] = [
  "temperature",
  "top_p",
  "top_k",
  "frequency_penalty",
  "presence_penalty",
  "stop",
  "seed",
  "reasoning_effort",
  ...thoughtFields,
];

const limitFields: readonly MaxTokensField[] = ["max_tokens", "max_completion_tokens"];
const otherLimit: Record<MaxTokensField, MaxTokensField> = {
  max_tokens: "max_completion_tokens",
  max_completion_tokens: "max_tokens",
};
/** Instructions of servers without a system role are the first words of the user. */
const nextRole: Record<SystemRole, SystemRole> = { system: "developer", developer: "user", user: "user" };

/** What was learned of one model at one server. */
export class LearnedDialect {
  readonly #omitted = new Set<OptionalField>();
  readonly #refusedLimits = new Set<MaxTokensField>();
  #role: SystemRole | undefined;
  /** Number of things learned. */
  version = 0;
  /** True if the server has the model only on the Responses API. */
  isOnResponses = false;

  /** The dialect in which requests are written now. */
  apply(dialect: OpenaiDialect): OpenaiDialect {
    if (this.version === 0) return dialect;
    return {
      ...dialect,
      maxTokensField: this.#limitField(dialect),
      systemRole: this.#role ?? dialect.systemRole,
      omitted: new Set([...dialect.omitted, ...this.#omitted]),
      asksForUsage: dialect.asksForUsage && !this.#omitted.has("stream_options"),
      obeysToolChoice: dialect.obeysToolChoice && !this.#omitted.has("tool_choice"),
    };
  }

  /** Learns from the error of a request; returns what will be different, or undefined if a second request would fail as well. */
  learn(body: string, sent: string, dialect: OpenaiDialect): string | undefined {
    const current = this.apply(dialect);
    const isSent = (field: string) => sent.includes(`"${field}":`);
    const fields = [...ownFields, ...chosenFields, ...limitFields].filter(isSent);
    const refusal = readFieldRefusal(body, fields);
    const changes: string[] = [];
    for (const field of refusal.fields) {
      if (isLimit(field)) {
        if (refusal.isUnsupported) changes.push(this.#refuseLimit(field));
      } else if (isOptional(field) && (refusal.isUnsupported || ownFields.includes(field))) {
        this.#omitted.add(field);
        changes.push(`no ${field}`);
      }
    }
    if (changes.length === 0 && refusal.isUnsupported && namesRole(refusal.text, current.systemRole)) {
      const role = nextRole[current.systemRole];
      if (role !== current.systemRole) {
        this.#role = role;
        changes.push(`instructions with the role ${role}`);
      }
    }
    if (changes.length === 0) return undefined;
    this.version++;
    return changes.join(", ");
  }

  #refuseLimit(field: MaxTokensField): string {
    this.#refusedLimits.add(field);
    const other = otherLimit[field];
    return this.#refusedLimits.has(other) ? "no limit of the answer" : `${other} in place of ${field}`;
  }

  #limitField({ maxTokensField }: OpenaiDialect): MaxTokensField | undefined {
    if (maxTokensField === undefined || !this.#refusedLimits.has(maxTokensField)) return maxTokensField;
    const other = otherLimit[maxTokensField];
    return this.#refusedLimits.has(other) ? undefined : other;
  }
}

/** "Unsupported value: 'messages[0].role' does not support 'system' with this model." and the like. */
function namesRole(text: string, role: SystemRole): boolean {
  return /\broles?\b/i.test(text) && new RegExp(`\\b${role}\\b`, "i").test(text);
}

const isLimit = (field: string): field is MaxTokensField =>
  (limitFields as readonly string[]).includes(field);

function isOptional(field: string): field is OptionalField {
  return ([...ownFields, ...chosenFields] as readonly string[]).includes(field);
}

const modelsMax = 1000;

/** What servers have refused, for one process. */
export class LearnedDialects {
  readonly #byModel = new LatestMap<string, LearnedDialect>(modelsMax);
  /** Messages that were reported; a caller can cause the same one with every request. */
  readonly #reported = new LatestMap<string, true>(modelsMax);
  readonly #report: (model: string, message: string) => void;

  /** `report` is told what is sent otherwise than asked, as a sentence. */
  constructor(report: (model: string, message: string) => void = () => {}) {
    this.#report = report;
  }

  of(key: string): LearnedDialect {
    const known = this.#byModel.use(key);
    if (known !== undefined) return known;
    const learned = new LearnedDialect();
    this.#byModel.set(key, learned);
    return learned;
  }

  report(model: string, message: string): void {
    if (this.#reported.use(message) === true) return;
    this.#reported.set(message, true);
    this.#report(model, message);
  }
}
