/**
 * Ports of services without HTTP, or that obey anyone who can reach them: requests to them are never legitimate. The first rows are the
 * "bad ports" of the Fetch standard.
 */
const closed: ReadonlySet<number> = new Set([
  ...[0, 1, 7, 9, 11, 13, 15, 17, 19, 20, 21, 22, 23, 25, 37, 42, 43, 53, 69, 77, 79, 87, 95, 101, 102, 103],
  ...[104, 109, 110, 111, 113, 115, 117, 119, 123, 135, 137, 138, 139, 143, 161, 162, 179, 389, 427, 465],
  ...[512, 513, 514, 515, 526, 530, 531, 532, 540, 548, 554, 556, 563, 587, 601, 636, 989, 990, 993, 995],
  ...[1719, 1720, 1723, 2049, 3659, 4045, 4190, 5060, 5061, 6000, 6566, 6665, 6666, 6667, 6668, 6669, 6679],
  ...[6697, 10_080],
  // File shares, remote control and directories.
  ...[445, 873, 1080, 1194, 3128, 3268, 3269, 3389, 5900, 5901, 5985, 5986],
  // Databases, caches and queues.
  ...[1433, 1434, 1521, 1522, 1883, 3306, 3307, 4222, 5432, 5433, 5671, 5672, 6379, 6380, 6432, 7000, 7001],
  ...[7687, 8883, 9042, 9092, 9142, 9160, 11_211, 16_379, 26_257, 26_379, 27_017, 27_018, 27_019, 33_060],
  ...[50_000, 61_616],
  // Container engines and cluster nodes, which execute any command sent to them.
  ...[2375, 2376, 2377, 2379, 2380, 6443, 10_248, 10_250, 10_255, 10_256],
]);

/** HTTP services that trust their network: closed unless the operator has opened the host or its network. */
const closedUnlessOpened: ReadonlySet<number> = new Set([
  // Model servers, search engines, stores, consoles of databases and queues, secret stores, machine metrics.
  ...[11_434, 9200, 9300, 5984, 7474, 8086, 8123, 8200, 8201, 8300, 8301, 8500, 8501, 8529, 6333, 6334, 9100],
  ...[15_672, 2181, 4646, 9600],
]);

/** Returns whether requests may go to a port: never, only if the operator opened the host, or always. */
export function portRule(port: number): "never" | "opened" | "always" {
  if (closed.has(port)) return "never";
  return closedUnlessOpened.has(port) ? "opened" : "always";
}
