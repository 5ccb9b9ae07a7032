/**
 * How a cluster is set: its keys, how long things are kept, how fast a runner that is gone is found.
 *
 * @since 0.1.0
 */
import type * as ShardingConfig from "@effect/cluster/ShardingConfig"
import { Duration } from "effect"
import type { KeyRefs } from "./wire/Keys.js"

/**
 * How fast the sessions of a runner that is gone are taken over, and what that costs. All processes of a cluster should agree.
 *
 * @since 0.1.0
 * @category models
 */
export interface Failover {
  /**
   * After how long without a sign of life a runner is given up. A runner that is held up for longer is fenced, and what it
   * did meanwhile is answered as unknown. Three seconds at least. A runner with another one than those that are there is refused.
   */
  readonly silence?: Duration.DurationInput | undefined
  /** How often every process reads who is there. Each reading is one query. */
  readonly look?: Duration.DurationInput | undefined
  /** How often a client whose connection is gone looks for an answer in the store. */
  readonly poll?: Duration.DurationInput | undefined
}

/**
 * @since 0.1.0
 * @category models
 */
export interface Settings extends KeyRefs {
  /** How long arguments and results are kept in the store: a day, where nothing is said. */
  readonly retention?: Duration.DurationInput | undefined
  readonly failover?: Failover | undefined
  /** In how many parts sessions are divided among runners: 300. All processes of a cluster must agree. */
  readonly shards?: number | undefined
}

/**
 * @since 0.1.0
 * @category defaults
 */
export const defaults = {
  retention: Duration.days(1),
  silence: Duration.seconds(10),
  look: Duration.seconds(1),
  poll: Duration.millis(100),
  shards: 300,
  drain: Duration.seconds(30),
  patience: Duration.minutes(10)
}

/** What is sooner would be met by a machine that is only busy. */
export const SHORTEST = Duration.seconds(3)

export const silenceOf = ({ failover }: Settings): Duration.Duration =>
  Duration.max(SHORTEST, Duration.decode(failover?.silence ?? defaults.silence))

export const lookOf = ({ failover }: Settings): Duration.Duration =>
  Duration.decode(failover?.look ?? defaults.look)

export const retentionOf = ({ retention }: Settings): Duration.Duration =>
  Duration.decode(retention ?? defaults.retention)

/** The settings as `@effect/cluster` has them. */
export const sharding = (settings: Settings): Partial<ShardingConfig.ShardingConfig["Type"]> => {
  const silence = silenceOf(settings)
  const look = lookOf(settings)
  return {
    shardsPerGroup: settings.shards ?? defaults.shards,
    // A lock that belongs to a connection is held for as long as the process is stopped; one with a time is not.
    shardLockDisableAdvisory: true,
    shardLockExpiration: silence,
    shardLockRefreshInterval: Duration.unsafeDivide(silence, 3),
    refreshAssignmentsInterval: look,
    runnerHealthCheckInterval: look,
    entityMessagePollInterval: Duration.times(look, 2),
    entityReplyPollInterval: Duration.decode(settings.failover?.poll ?? defaults.poll),
    sendRetryInterval: Duration.millis(100),
    simulateRemoteSerialization: false
  }
}
