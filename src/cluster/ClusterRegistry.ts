/**
 * Turns on other machines. A client has the interface of `registry.execute`; runners have the tools, the backends and the
 * policies, and share the sessions among them.
 *
 * @since 0.1.0
 */
export {
  type ClientOptions,
  ClusterClient,
  layer as layerClient,
  make as client,
  type TurnOptions
} from "./client/Client.js"
export { type Loaded, named as policyNamed, of as policies, type Policies, type Who } from "./Policies.js"
export {
  check as checkRunner,
  layer as layerRunner,
  type Place,
  Runner,
  type RunnerOptions
} from "./runner/Runner.js"
export { defaults, type Failover, type Settings } from "./Settings.js"
export { layer as layerLife, RunnerLife } from "./store/RunnerLife.js"
