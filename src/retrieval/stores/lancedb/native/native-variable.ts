import { dlopen, ptr } from "bun:ffi";

/**
 * Sets a variable for the native code of this process, which sees only the initial environment: changes by JavaScript don't reach it. The
 * environment in JavaScript is not changed.
 */
export function setNativeVariable(name: string, value: string): void {
  if (process.platform === "win32") setOnWindows(name, value);
  else setOnPosix(name, value);
}

function setOnPosix(name: string, value: string): void {
  const { symbols } = openFirst(
    process.platform === "darwin" ? ["libSystem.B.dylib"] : ["libc.so.6", "libc.so"],
  );
  symbols.setenv(Buffer.from(`${name}\0`), Buffer.from(`${value}\0`), 1);
}

function openFirst([name = "", ...others]: readonly string[]) {
  try {
    return dlopen(name, { setenv: { args: ["cstring", "cstring", "i32"], returns: "i32" } });
  } catch (thrown) {
    if (others.length === 0) throw thrown;
    return openFirst(others);
  }
}

function setOnWindows(name: string, value: string): void {
  const { symbols } = dlopen("kernel32.dll", {
    SetEnvironmentVariableW: { args: ["ptr", "ptr"], returns: "bool" },
  });
  const wide = (text: string) => ptr(Buffer.from(`${text}\0`, "utf16le"));
  symbols.SetEnvironmentVariableW(wide(name), wide(value));
}
