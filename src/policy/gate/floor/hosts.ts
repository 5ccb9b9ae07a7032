/** Hosts that no policy opens: the metadata services of clouds, by name and by address, and link-local addresses. */
const names: ReadonlySet<string> = new Set([
  "metadata",
  "metadata.google.internal",
  "metadata.goog",
  "instance-data",
  "instance-data.ec2.internal",
  "metadata.azure.internal",
  "metadata.azure.com",
  "metadata.oraclecloud.com",
  "metadata.tencentyun.com",
  "metadata.packet.net",
  "metadata.platformequinix.com",
  "api.metadata.cloud.ibm.com",
  "rancher-metadata",
  "kubernetes.default.svc",
  "kubernetes.default.svc.cluster.local"
])

const addresses: ReadonlySet<string> = new Set([
  "168.63.129.16",
  "192.0.0.192",
  "100.100.100.200",
  "[fd20:ce::254]",
  "[fd00:42::42]"
])

/** Addresses come in the one spelling that URLs give them, so that these are prefixes of whole ranges. */
const LINK_LOCAL_4 = /^169\.254\.\d+\.\d+$/
const METADATA_6 = /^\[(?:fe[89ab][0-9a-f]|fd00:ec2):/

export const forbidsHost = (host: string): boolean =>
  names.has(host) || addresses.has(host) || LINK_LOCAL_4.test(host) || METADATA_6.test(host)
