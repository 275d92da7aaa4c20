import { describe, expect, test } from "bun:test";
import { postgresAddressFault, postgresHosts, redisAddressFault } from "../../src/kit/database-address.ts";

const modes = "disable, allow, prefer, require, verify-ca, verify-full";

describe("the address of a PostgreSQL database", () => {
  test.each([
    "postgres://u:p@host/db",
    "postgresql://u:100%25@host:5433/db",
    "postgres://host/db?sslmode=verify-full",
    "postgres://host/db?sslmode=VERIFY_CA&application_name=a%zz",
    "postgres://host/db?ssl=true",
    "postgres://host/db?sslmode=",
  ])("can be read: %s", (address) => {
    expect(postgresAddressFault(address)).toBeUndefined();
    // The driver agrees. It connects only at the first query.
    expect(() => new Bun.SQL(address)).not.toThrow();
  });

  test.each([
    ["postgres://u:p%40@one/db?ssl=true", ["postgres://u:p%40@one/db?ssl=true"]],
    [
      "postgres://u:a,b@one:5432,[::1]:5433,three/db?target_session_attrs=read-write",
      [
        "postgres://u:a,b@one:5432/db?target_session_attrs=read-write",
        "postgres://u:a,b@[::1]:5433/db?target_session_attrs=read-write",
        "postgres://u:a,b@three/db?target_session_attrs=read-write",
      ],
    ],
  ])("names hosts: %s", (address, hosts) => {
    expect(postgresAddressFault(address)).toBeUndefined();
    expect(postgresHosts(address)).toEqual(hosts);
    for (const one of hosts) expect(() => new Bun.SQL(one)).not.toThrow();
  });

  test.each([
    ["postgres://u:hidden@one:1,two:x/db", "a PostgreSQL address such as postgres://user@host/database"],
    ["postgres://u:hidden@one,/db", "a PostgreSQL address such as postgres://user@host/database"],
    [
      "postgres://u:hidden@one,two/db?target_session_attrs=standby",
      "an address with one of these values for target_session_attrs: any, read-write, primary",
    ],
    ["mysql://host/db", "a PostgreSQL address such as postgres://user@host/database"],
    ["postgres://u:hidden%@host/db", "an address with each % of its password written as %25"],
    ["postgres://hidden%x:p@host/db", "an address with each % of its user written as %25"],
    ["postgres://u:p@host/hidden%", "an address with each % of its database name written as %25"],
    ["postgres://u:hidden%00@host/db", "an address without a NUL character in its password"],
    ["postgres://u:hidden@host/db?sslmode=on", `an address with one of these values for sslmode: ${modes}`],
    ["postgres://u:hidden@host/db?SSL=maybe", `an address with one of these values for SSL: ${modes}`],
    ["postgres://host/db?sslmode=require&sslmode=disable", "an address with sslmode only once"],
  ])("is refused, not shown: %s", (address, fault) => {
    expect(postgresAddressFault(address)).toBe(fault);
    expect(fault).not.toContain("hidden");
  });
});

describe("the address of a Redis server", () => {
  test.each(["redis://host", "rediss://:100%25@host:6379/2"])("can be read: %s", (address) => {
    expect(redisAddressFault(address)).toBeUndefined();
  });

  test.each([
    ["redis://host/name", "a Redis address such as redis://host:6379"],
    ["redis://:hidden%@host", "an address with each % of its password written as %25"],
  ])("is refused, not shown: %s", (address, fault) => {
    expect(redisAddressFault(address)).toBe(fault);
  });
});
