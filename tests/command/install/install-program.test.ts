import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { type InstallUser, installPlace, pathAdvice } from "../../../src/command/install/install-place.ts";
import { installProgram, uninstallProgram } from "../../../src/command/install/install-program.ts";
import { temporaryFolder } from "../../support/temp-folder.ts";

const texts = { bash: "# bash", zsh: "#compdef argosy", fish: "# fish", manPage: ".TH ARGOSY 1" };

let folder: ReturnType<typeof temporaryFolder>;
let home: string;
let executable: string;
beforeEach(() => {
  folder = temporaryFolder();
  home = join(folder.path, "home");
  executable = join(folder.path, "downloaded");
  mkdirSync(home);
  writeFileSync(executable, "first", { mode: 0o644 });
});
afterEach(() => folder[Symbol.dispose]());

function userWith(variables: Record<string, string> = {}, more: Partial<InstallUser> = {}): InstallUser {
  return {
    platform: "linux",
    isRoot: false,
    home,
    name: "ada",
    variable: (name) => variables[name],
    ...more,
  };
}

const install = (user: InstallUser, { to, force = false }: { to?: string; force?: boolean } = {}) =>
  installProgram(user, {
    executable,
    texts,
    version: "1",
    force,
    place: installPlace(user, to, folder.path),
  });

const filesIn = (path: string) =>
  readdirSync(path, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .sort();

describe("install", () => {
  test("writes an executable file, completion for three shells and a man page, and no draft", async () => {
    const installed = await install(userWith({ PATH: `/usr/bin:${join(home, ".local/bin")}/` }));
    const share = join(home, ".local/share");
    expect(installed).toEqual({
      program: join(home, ".local/bin/argosy"),
      files: [
        join(home, ".local/bin/argosy"),
        join(share, "bash-completion/completions/argosy"),
        join(share, "zsh/site-functions/_argosy"),
        join(share, "fish/vendor_completions.d/argosy.fish"),
        join(share, "man/man1/argosy.1"),
      ],
      was_in_place: false,
      on_path: true,
      shadowed_by: null,
    });
    expect(statSync(installed.program).mode & 0o777).toBe(0o755);
    expect(filesIn(home)).toEqual([...installed.files, join(share, "argosy/installed.json")].sort());
    expect(readFileSync(join(share, "man/man1/argosy.1"), "utf8")).toBe(".TH ARGOSY 1\n");
  });

  test("replaces its own file, with a new file instead of new bytes in the old one", async () => {
    const { program } = await install(userWith());
    const before = statSync(program).ino;
    writeFileSync(executable, "second");
    await install(userWith());
    expect(readFileSync(program, "utf8")).toBe("second");
    expect(statSync(program).ino).not.toBe(before);
  });

  test("keeps the executable when it runs from its place, also through a link", async () => {
    const user = userWith();
    const { program } = await install(user);
    const link = join(folder.path, "link");
    symlinkSync(program, link);
    const place = installPlace(user, undefined, "/");
    const again = await installProgram(user, { executable: link, texts, version: "2", force: false, place });
    expect(again.was_in_place).toBe(true);
    expect(readFileSync(program, "utf8")).toBe("first");
  });

  test("refuses to replace a file of others without --force, and writes nothing", async () => {
    const program = join(folder.path, "bin/argosy");
    mkdirSync(join(folder.path, "bin"));
    writeFileSync(program, "another program");
    await expect(install(userWith(), { to: "bin" })).rejects.toMatchObject({ code: "place_taken" });
    expect(filesIn(home)).toEqual([]);
    await install(userWith(), { to: "bin", force: true });
    expect(readFileSync(program, "utf8")).toBe("first");
  });

  test("refuses a folder of that name even with --force", async () => {
    mkdirSync(join(folder.path, "bin/argosy"), { recursive: true });
    await expect(install(userWith(), { to: "bin", force: true })).rejects.toMatchObject({
      code: "place_taken",
    });
  });

  test("a target that is not a folder is an error that names it", async () => {
    writeFileSync(join(folder.path, "file"), "");
    await expect(install(userWith(), { to: "file/bin" })).rejects.toMatchObject({
      code: "place_not_writable",
      message: expect.stringContaining(join(folder.path, "file")),
    });
  });

  test("tells which other program the shell finds first", async () => {
    const other = join(folder.path, "other");
    mkdirSync(other);
    writeFileSync(join(other, "argosy"), "", { mode: 0o755 });
    const { on_path, shadowed_by } = await install(
      userWith({ PATH: `${other}:${join(home, ".local/bin")}` }),
    );
    expect([on_path, shadowed_by]).toEqual([true, join(other, "argosy")]);
  });

  test.each<[string, string | undefined, Partial<InstallUser>, Record<string, string>, string, string]>([
    ["root", undefined, { isRoot: true }, {}, "/usr/local/bin/argosy", "/usr/local/share"],
    ["an XDG folder", undefined, {}, { XDG_DATA_HOME: "/d" }, "/home/ada/.local/bin/argosy", "/d"],
    [
      "an XDG folder that is not absolute",
      undefined,
      {},
      { XDG_DATA_HOME: "d" },
      "/home/ada/.local/bin/argosy",
      "/home/ada/.local/share",
    ],
    [
      "Windows",
      undefined,
      { platform: "win32" },
      { LOCALAPPDATA: "/l" },
      "/l/Programs/argosy/argosy.exe",
      "/home/ada/.local/share",
    ],
    ["--to", "tools", {}, {}, "/from/tools/argosy", "/home/ada/.local/share"],
  ])("the place for %s", (_name, to, more, variables, program, share) => {
    expect(installPlace(userWith(variables, { home: "/home/ada", ...more }), to, "/from")).toMatchObject({
      program,
      share,
    });
  });

  test.each([
    ["/bin/bash", "/opt/my tools", `echo 'export PATH="/opt/my tools:$PATH"' >> ~/.bashrc`],
    ["/bin/zsh", "/opt/it's", `echo 'export PATH="/opt/it'\\''s:$PATH"' >> ~/.zshrc`],
    ["/usr/bin/fish", "/opt/it's", `fish_add_path '/opt/it'\\''s'`],
    ["", "/opt/$x", `echo 'export PATH="/opt/\\$x:$PATH"' >> ~/.profile`],
  ])("the advice for %s about %s", (shell, path, advice) => {
    expect(pathAdvice(userWith({ SHELL: shell }), path)).toContain(advice);
  });
});

describe("uninstall", () => {
  test("removes every file of every installation, and nothing else", async () => {
    const user = userWith();
    await install(user);
    await install(user, { to: "tools" });
    const own = join(home, ".local/share/bash-completion/completions/git");
    writeFileSync(own, "");
    const { removed } = uninstallProgram(user, installPlace(user, undefined, "/"));
    expect(removed).toHaveLength(6);
    expect(filesIn(home)).toEqual([own]);
    expect(existsSync(join(home, ".local/share/argosy"))).toBe(false);
    expect(filesIn(join(folder.path, "tools"))).toEqual([]);
  });

  test("without an installation it is an error", () => {
    const user = userWith();
    expect(() => uninstallProgram(user, installPlace(user, undefined, "/"))).toThrow(
      expect.objectContaining({ code: "not_installed" }),
    );
  });

  test.each([
    ["no JSON", "{"],
    ["null", "null"],
    ["a file of others", JSON.stringify({ version: "1", files: ["/etc/passwd"] })],
    ["a path that climbs", JSON.stringify({ version: "1", files: ["/a/../b/argosy"] })],
  ])("a record with %s removes nothing", async (_name, record) => {
    const user = userWith();
    const { program } = await install(user);
    writeFileSync(join(home, ".local/share/argosy/installed.json"), record);
    expect(() => uninstallProgram(user, installPlace(user, undefined, "/"))).toThrow(
      expect.objectContaining({ code: "install_record_damaged" }),
    );
    expect(existsSync(program)).toBe(true);
  });
});
