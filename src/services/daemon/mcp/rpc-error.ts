import type { AppError } from "../../../kit/app-error.ts";

/** The codes of JSON-RPC 2.0 and of MCP for our own; whatever else is refused is a server error. */
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
  /** `code` is ours, as every other surface says it. */
  data: Record<string, unknown>;
}

/** The `error` of a JSON-RPC answer. */
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

/** The answer to a message that was refused before its id counted for anything. */
export function renderRpcError(error: AppError): object {
  return { jsonrpc: "2.0", id: null, error: rpcErrorBody(error) };
}
