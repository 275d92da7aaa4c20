import { AppError } from "../../kit/app-error.ts";
import type { Clock } from "../../kit/clock.ts";
import { type MeshAuthority, meshAuthority, meshHost, type NodeCertificate } from "./certificates.ts";

/** Certificates of this node, as TLS takes them. */
export interface TlsOptions {
  ca: string;
  cert: string;
  key: string;
}

/** Certificates by which this node and the others know each other. They renew by themselves. */
export class NodeTls {
  /** Tells meshes apart; from the authority's public key. */
  readonly fingerprint: string;
  readonly #authority: MeshAuthority;
  readonly #node: string;
  readonly #clock: Clock;
  #own: NodeCertificate;

  constructor(secret: string, node: string, clock: Clock) {
    this.#authority = meshAuthority(secret, clock.now());
    this.fingerprint = this.#authority.fingerprint;
    this.#node = node;
    this.#clock = clock;
    this.#own = this.#authority.issue(node, clock.now());
  }

  /** The certificate of now, and when to ask again. */
  current(): TlsOptions & { renewAt: Date } {
    if (this.#clock.now() >= this.#own.renewAt)
      this.#own = this.#authority.issue(this.#node, this.#clock.now());
    const { cert, key, renewAt } = this.#own;
    return { ca: this.#authority.certificate, cert, key, renewAt };
  }

  /** Options of a call to another node. Its certificate is for the mesh, so its address is not compared. */
  get callOptions() {
    const { ca, cert, key } = this.current();
    // Said expressly, because NODE_TLS_REJECT_UNAUTHORIZED would turn it off.
    const always = { rejectUnauthorized: true, checkServerIdentity: () => undefined };
    return { ca, cert, key, serverName: meshHost, ...always };
  }

  /** Explains why a call to another node failed; undefined if TLS was not the reason. */
  failure(address: string, thrown: unknown): AppError | undefined {
    const code = String((thrown as { code?: unknown } | undefined)?.code ?? "");
    if (code === "EPROTO" || code === "ERR_SSL_WRONG_VERSION_NUMBER")
      return new AppError(
        "upstream_failed",
        "node_without_tls",
        `The node at ${address} does not speak TLS, or it refused this node's certificate.`,
        {
          cause: thrown,
          details: { hint: "Set PLATFORM_MESH_PORT and the same PLATFORM_MESH_SECRET on all nodes." },
        },
      );
    if (!/CERT|SELF_SIGNED|UNABLE_TO_/.test(code)) return undefined;
    return new AppError(
      "upstream_failed",
      "node_certificate_refused",
      `The node at ${address} has a certificate of another mesh than this node's (${this.fingerprint}).`,
      { cause: thrown, details: { hint: "Set the same PLATFORM_MESH_SECRET on all nodes." } },
    );
  }
}
