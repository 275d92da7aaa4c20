import type { AppError } from "../../../kit/app-error.ts";

/** JSON-RPC 2.0 and MCP codes for our error codes. All other errors are server errors. */
const rpcCodes: ReadonlyMap<string, number> = new Map([
  ["parse_error", -32_700],
  ["number_not_representable", -32_700],
  ["invalid_request", -32_600],
  ["method_not_found", -32_601],
  ["invalid_params", -32_602],
  ["unknown_tool", -32_602],
  ["internal", -32_603],
  ["session_not_found", -32_001],
  ["resource_not_found", -32_002],
]);
const serverError = -32_000;

export interface RpcErrorBody {
  code: number;
  message: string;
  /** `code` is our own error code, as on every other surface. */
  data: Record<string, unknown>;
}

/** Creates the `error` of a JSON-RPC answer. */
export function rpcErrorBody({ code, message, details }: AppError): RpcErrorBody {
  const { hint, problems = [], facts } = details;
  return {
    code: rpcCodes.get(code) ?? serverError,
    message,
    data: {
      ...facts,
      code,
      ...(hint === undefined ? {} : { hint }),
      ...(problems.length === 0 ? {} : { problems }),
    },
  };
}

/** Creates the answer to a message that was refused before its id was read. */
export function renderRpcError(error: AppError): object {
  return { jsonrpc: "2.0", id: null, error: rpcErrorBody(error) };
}
