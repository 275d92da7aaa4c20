import { describe, expect, test } from "bun:test";
import { readAddress } from "../../../../../src/engine/tools/network/address/address-kind.ts";
import { isOpened, openedNetworks } from "../../../../../src/engine/tools/network/address/opened-networks.ts";

const opens = (entries: string[], host: string, text: string): boolean => {
  const { opened, faults } = openedNetworks(entries);
  const address = readAddress(text);
  if (faults.length > 0 || address === undefined) throw new Error("a case that can't be");
  return isOpened(opened, host, address);
};

describe("an entry opens", () => {
  test.each<[entry: string, host: string, address: string, isOpen: boolean]>([
    ["10.1.0.0/16", "a.test", "10.1.255.255", true],
    ["10.1.0.0/16", "a.test", "10.2.0.0", false],
    ["10.1.2.3/16", "a.test", "10.1.0.1", true],
    ["10.1.2.3", "a.test", "10.1.2.3", true],
    ["10.1.2.3", "a.test", "10.1.2.4", false],
    ["10.1.0.0/16", "a.test", "::ffff:10.1.0.1", true],
    ["fd12:3456::/32", "a.test", "fd12:3456::1", true],
    ["fd12:3456::1", "a.test", "fd12:3456::1", true],
    ["fc00::/7", "a.test", "10.0.0.1", false],
    ["erp.corp.example", "erp.corp.example", "10.0.0.1", true],
    ["ERP.Corp.Example.", "erp.corp.example", "fd00::1", true],
    ["erp.corp.example", "x.erp.corp.example", "10.0.0.1", false],
    ["printer", "printer", "192.168.0.9", true],
    // Addresses that stay closed whatever an entry says.
    ["erp.corp.example", "erp.corp.example", "169.254.169.254", false],
    ["erp.corp.example", "erp.corp.example", "fe80::1", false],
    ["erp.corp.example", "erp.corp.example", "127.0.0.1", false],
    ["100.64.0.0/10", "a.test", "100.64.0.1", true],
    ["100.64.0.0/10", "a.test", "100.100.100.200", false],
    ["fc00::/7", "a.test", "fd00:ec2::254", false],
    ["169.0.0.0/8", "a.test", "169.254.169.254", false],
    // This machine, if an entry names it.
    ["127.0.0.0/8", "a.test", "127.0.0.1", true],
    ["localhost", "localhost", "127.0.0.1", true],
    ["localhost", "a.test", "127.0.0.1", false],
  ])("%s: %s at %s: %p", (entry, host, address, isOpen) => {
    expect(opens([entry], host, address)).toBe(isOpen);
  });
});

describe("an invalid entry is refused with the reason", () => {
  test.each([
    ["169.254.0.0/16", "can't be opened"],
    ["169.254.169.254", "can't be opened"],
    ["fe80::/10", "can't be opened"],
    ["fe80::1", "can't be opened"],
    ["224.0.0.0/8", "can't be opened"],
    ["100.100.100.200", "can't be opened"],
    ["64:ff9b::/96", "can't be opened"],
    ["0.0.0.0/8", "can't be opened"],
    ["0.0.0.0/0", "is too wide: at least /8"],
    ["10.0.0.0/7", "is too wide: at least /8"],
    ["::/0", "is too wide: at least /7"],
    ["::ffff:10.0.0.0/104", "must be written as an IPv4 network"],
    ["10.1.0.0/33", "is not a network"],
    ["10.1/16", "is not a network"],
    ["300.1.1.1", "is not a network"],
    ["0x7f000001", "is not a network"],
    ["10.1", "is not a network"],
    ["corp.example/8", "is not a network"],
    ["fe80::1%eth0", "is not a network"],
    ["a..b", "is not a host name"],
    ["*.example", "is not a host name"],
  ])("%s: %s", (entry, message) => {
    const { faults, opened } = openedNetworks(["10.0.0.0/8", entry]);
    expect(faults).toEqual([{ index: 1, message: expect.stringContaining(message) }]);
    expect(opened.ranges).toHaveLength(1);
  });
});
