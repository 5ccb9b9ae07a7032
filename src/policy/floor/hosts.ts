/** Host names that no policy opens: the metadata services of clouds. */
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
  "kubernetes.default.svc"
])

export const forbidsHost = (host: string): boolean => names.has(host)
