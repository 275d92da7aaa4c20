import { isRecord } from "../../../kit/json/is-record.ts";

/** A server's JSON-RPC error, with a message in the form of the SDK's errors. */
export class RpcFault extends Error {
  override readonly name = "RpcFault";
  readonly code: number;
  readonly data: Readonly<Record<string, unknown>>;

  constructor(code: number, message: string, data?: unknown) {
    super(`MCP error ${code}: ${message}`);
    this.code = code;
    this.data = isRecord(data) ? data : {};
  }
}

/** An HTTP answer that is no JSON-RPC answer, with a message in the form of the SDK's errors. */
export class HttpFault extends Error {
  override readonly name = "HttpFault";
  readonly code: number;

  constructor(status: number, message = `status ${status}`) {
    super(`Streamable HTTP error: ${message}`);
    this.code = status;
  }
}
