import { AwsV4Signer } from "aws4fetch";
import type { Clock } from "../../../../kit/clock.ts";
import { isRecord } from "../../../../kit/json/is-record.ts";
import type { JsonObject } from "../../mapping/section-table.ts";
import {
  type CloudAnswer,
  type CloudCallOptions,
  type CloudPorts,
  callCloud,
  PageTokens,
  refusalError,
  retryAfterSeconds,
} from "../cloud-call.ts";
import { readXml, type XmlElement } from "./query-answer.ts";

export interface AwsSettings {
  region: string;
  accessKeyId: string;
  secretAccessKey: string;
  /** Of temporary credentials. */
  sessionToken?: string | undefined;
  /** An address in place of all of Amazon's own, for private endpoints. */
  endpoint?: string | undefined;
}

export const cloud = "Amazon Web Services";

/** The APIs that are called: their hosts, and the names that signatures use. */
const services = {
  bedrock: { signedAs: "bedrock", host: (region: string) => `bedrock.${region}.amazonaws.com` },
  agents: { signedAs: "bedrock", host: (region: string) => `bedrock-agent.${region}.amazonaws.com` },
  s3vectors: { signedAs: "s3vectors", host: (region: string) => `s3vectors.${region}.api.aws` },
  iam: { signedAs: "iam", host: () => "iam.amazonaws.com" },
};

export type AwsService = keyof typeof services;

const iamVersion = "2010-05-08";
/** IAM is one service for all regions. */
const iamRegion = "us-east-1";

export interface AwsCall {
  service: Exclude<AwsService, "iam">;
  method: "GET" | "POST" | "PUT" | "DELETE";
  path: string;
  body?: JsonObject;
  /** True if a POST only reads. */
  isRead?: boolean;
  /** The action for errors: `create help-desk`. */
  action: string;
  signal: AbortSignal;
}

interface Refused {
  code: string;
  message: string;
}

/** Calls the APIs of Amazon Web Services with signatures of version 4. */
export class AwsApi {
  readonly region: string;
  readonly ports: CloudPorts;
  readonly #settings: AwsSettings;

  constructor(settings: AwsSettings, ports: CloudPorts) {
    this.#settings = settings;
    this.ports = ports;
    this.region = settings.region;
    for (const secret of [settings.secretAccessKey, settings.sessionToken])
      if (secret) ports.secrets.add(secret);
  }

  get clock(): Clock {
    return this.ports.clock;
  }

  /** Returns the answer's body; undefined if there is no such resource. Throws the cloud's refusal. */
  async call({
    service,
    method,
    path,
    body,
    isRead = method === "GET",
    action,
    signal,
  }: AwsCall): Promise<JsonObject | undefined> {
    const answer = await this.#send(service, {
      method,
      path,
      body: body === undefined ? undefined : JSON.stringify(body),
      type: "application/json",
      isRead,
      signal,
    });
    const content = parsed(answer.text);
    if (answer.status >= 200 && answer.status < 300) return content;
    const header = answer.headers.get("x-amzn-errortype") ?? content.__type;
    const code = String(header ?? "")
      .replace(/^.*#/, "")
      .replace(/:.*$/, "");
    const message = content.message ?? content.Message;
    return refused(answer, action, { code, message: typeof message === "string" ? message : "" });
  }

  /** Calls an action of IAM, whose answers are XML. Returns undefined if there is no such resource. Throws the cloud's refusal. */
  async callIam(
    iamAction: string,
    parameters: Readonly<Record<string, string>>,
    action: string,
    signal: AbortSignal,
  ): Promise<XmlElement | undefined> {
    const answer = await this.#send("iam", {
      method: "POST",
      path: "/",
      body: new URLSearchParams({ Action: iamAction, Version: iamVersion, ...parameters }).toString(),
      type: "application/x-www-form-urlencoded",
      isRead: /^(?:Get|List)/.test(iamAction),
      signal,
    });
    const document = readXml(answer.text);
    if (answer.status >= 200 && answer.status < 300) return document.find(`${iamAction}Result`) ?? document;
    const code = document.find("Error")?.find("Code")?.text ?? "";
    const message = document.find("Error")?.find("Message")?.text ?? "";
    return refused(answer, action, { code, message });
  }

  /** Returns all elements of a listing. */
  async list(
    call: Omit<AwsCall, "action" | "signal" | "isRead">,
    key: string,
    signal: AbortSignal,
  ): Promise<JsonObject[]> {
    const items: JsonObject[] = [];
    const tokens = new PageTokens();
    for (let nextToken = ""; ; ) {
      const page = { maxResults: 100, ...(nextToken !== "" && { nextToken }) };
      const pageCall =
        call.method === "GET"
          ? {
              ...call,
              path: `${call.path}?${new URLSearchParams(Object.entries(page).map(([name, value]) => [name, String(value)]))}`,
            }
          : { ...call, body: { ...call.body, ...page } };
      const answer = (await this.call({ ...pageCall, isRead: true, action: `list ${key}`, signal })) ?? {};
      const elements = answer[key];
      if (Array.isArray(elements)) items.push(...elements.filter(isRecord));
      const next = tokens.next(answer.nextToken, `list ${key}`);
      if (next === undefined) return items;
      nextToken = next;
    }
  }

  #send(
    service: AwsService,
    {
      method,
      path,
      body,
      type,
      isRead,
      signal,
    }: {
      method: string;
      path: string;
      body: string | undefined;
      type: string;
    } & Pick<CloudCallOptions, "isRead" | "signal">,
  ): Promise<CloudAnswer> {
    const { region, accessKeyId, secretAccessKey, sessionToken, endpoint } = this.#settings;
    const { signedAs, host } = services[service];
    const url = `${(endpoint ?? `https://${host(region)}`).replace(/\/$/, "")}${path}`;
    const sign = async () => {
      const signer = new AwsV4Signer({
        method,
        url,
        headers: { accept: "application/json", ...(body !== undefined && { "content-type": type }) },
        ...(body !== undefined && { body }),
        accessKeyId,
        secretAccessKey,
        ...(sessionToken !== undefined && { sessionToken }),
        service: signedAs,
        region: service === "iam" ? iamRegion : region,
        datetime: this.clock
          .now()
          .toISOString()
          .replaceAll(/[:-]|\.\d{3}/g, ""),
      });
      const signed = await signer.sign();
      return {
        method,
        url: signed.url.toString(),
        headers: Object.fromEntries(signed.headers as Iterable<[string, string]>),
        body,
      };
    };
    return callCloud(this.ports, sign, {
      ...(endpoint !== undefined && { trustedOrigin: new URL(endpoint).origin }),
      isRead,
      signal,
    });
  }
}

const absent = /^(?:ResourceNotFoundException|NotFoundException|NoSuchEntity)$/;
const overQuota =
  /^(?:ThrottlingException|Throttling|TooManyRequestsException|ServiceQuotaExceededException|LimitExceeded)$/;
const conflicting = /^(?:ConflictException|EntityAlreadyExists|DeleteConflict|ConcurrentModification)$/;
const denied =
  /^(?:AccessDenied(?:Exception)?|UnrecognizedClientException|InvalidSignatureException|InvalidClientTokenId|SignatureDoesNotMatch|ExpiredToken(?:Exception)?)$/;

/** Returns undefined for a resource that isn't there; throws any other refusal. */
function refused({ status, headers }: CloudAnswer, action: string, { code, message }: Refused): undefined {
  if (absent.test(code)) return undefined;
  const meant = overQuota.test(code) ? 429 : conflicting.test(code) ? 409 : denied.test(code) ? 403 : status;
  throw refusalError({
    cloud,
    action,
    status: meant,
    code,
    message,
    retryAfterSeconds: retryAfterSeconds(headers),
  });
}

function parsed(text: string): JsonObject {
  try {
    const value: unknown = JSON.parse(text);
    return isRecord(value) ? value : {};
  } catch {
    return {};
  }
}
