import { segment, withQuery } from "../paths.ts";
import { type CallBody, callService, errorOf, type ServiceAddress, streamService } from "../service-call.ts";
import { ifMatch, taggedJson } from "../tagged.ts";
import type { CoverageMatrix } from "./coverage.ts";
import type {
  AccountFailure,
  Drift,
  HeldResource,
  HeldResourceList,
  ReconcileFrame,
  ReconcilePlan,
  ReconcileResult,
  ResourceEdit,
  SpecRemoval,
  TranslatorAccountList,
} from "./reconcile.ts";
import type { SpecKind, SpecList, SpecReference, SubmittedSpec, Translation } from "./translation.ts";

/** Chooses a cloud, or one account of it. */
export interface Target {
  provider?: string | undefined;
  account?: string | undefined;
}

export type TranslatorClient = ReturnType<typeof translatorClient>;

/** Client of the manifest translator. Every method throws the AppError that the service sent. */
export function translatorClient(address: ServiceAddress) {
  const json = async <T>(method: string, path: string, call?: CallBody): Promise<T> => {
    const response = await callService(address, method, path, call);
    const text = await response.text();
    return (text === "" ? undefined : JSON.parse(text)) as T;
  };
  const specPath = (kind: SpecKind, name: string, rest = "") => `/v1/specs/${kind}/${segment(name)}${rest}`;
  return {
    translate: (yaml: string, provider?: string) =>
      json<Translation>("POST", withQuery("/v1/translate", { provider }), { body: { yaml } }),
    coverage: (provider?: string) => json<CoverageMatrix>("GET", withQuery("/v1/coverage", { provider })),
    /** Stores a manifest, in place of one of the same kind and name. `match`: refuses with 412 unless the stored one still has this tag. */
    submit: (yaml: string, match?: string) =>
      json<SpecReference>("POST", "/v1/specs", { body: { yaml }, headers: ifMatch(match) }),
    listSpecs: (page: { limit?: number; cursor?: string } = {}) =>
      json<SpecList>("GET", withQuery("/v1/specs", page)),
    getSpec: (kind: SpecKind, name: string) => json<SubmittedSpec>("GET", specPath(kind, name)),
    /** Reads a stored manifest with its tag, to change it. */
    readSpec: async (kind: SpecKind, name: string) =>
      taggedJson<SubmittedSpec>(await callService(address, "GET", specPath(kind, name))),
    plan: (kind: SpecKind, name: string, target: Target = {}, call: CallBody = {}) =>
      json<ReconcilePlan>("POST", withQuery(specPath(kind, name, "/plan"), target), call),
    /** `hash`: refuses with `plan_stale` (409) unless the plan still has this hash. */
    reconcile: (kind: SpecKind, name: string, { hash, ...target }: Target & { hash?: string } = {}) =>
      json<ReconcileResult>("POST", withQuery(specPath(kind, name, "/reconcile"), target), {
        ...(hash !== undefined && { headers: { "if-match": `"${hash}"` } }),
      }),
    /** Like `reconcile`, and yields each step. Throws the AppError of a reconcile that failed. */
    async *reconcileSteps(
      kind: SpecKind,
      name: string,
      { hash, ...target }: Target & { hash?: string } = {},
    ): AsyncGenerator<Exclude<ReconcileFrame, { type: "error" }>, void> {
      const frames = streamService<ReconcileFrame>(
        address,
        "POST",
        withQuery(specPath(kind, name, "/reconcile"), target),
        { ...(hash !== undefined && { headers: { "if-match": `"${hash}"` } }) },
      );
      for await (const frame of frames) {
        if (frame.type !== "error") {
          yield frame;
          continue;
        }
        const { type: _, status, ...body } = frame;
        throw errorOf(body, status);
      }
    },
    drift: (kind: SpecKind, name: string, target: Target = {}) =>
      json<Drift>("GET", withQuery(specPath(kind, name, "/drift"), target)),
    /**
     * `cascade`: deletes its resources in all accounts first. `forgetMissing`: forgets those in accounts that aren't in runtime.yaml any more,
     * which are otherwise refused with `account_missing` (409).
     */
    deleteSpec: (
      kind: SpecKind,
      name: string,
      { cascade, forgetMissing }: { cascade?: boolean; forgetMissing?: boolean | undefined } = {},
    ) =>
      json<SpecRemoval>(
        "DELETE",
        withQuery(specPath(kind, name), { cascade, forget_missing: forgetMissing }),
      ),
    listAccounts: () => json<TranslatorAccountList>("GET", "/v1/accounts"),
    listHeld: (account: string, page: { limit?: number; cursor?: string } = {}) =>
      json<HeldResourceList>("GET", withQuery(`/v1/accounts/${segment(account)}/resources`, page)),
    editHeld: (account: string, id: string, edit: ResourceEdit) =>
      json<HeldResource>(
        "PATCH",
        `/v1/accounts/${segment(account)}/resources/${id.split("/").map(segment).join("/")}`,
        { body: edit },
      ),
    failNext: (account: string, failure: AccountFailure) =>
      json<void>("POST", `/v1/accounts/${segment(account)}/failures`, { body: failure }),
  };
}
