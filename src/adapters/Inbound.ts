/**
 * What every adapter ends in: a message, and the turn that goes with it. What an adapter for another platform is made of is
 * here too.
 *
 * @since 0.1.0
 */
export { AdapterError } from "./AdapterError.js"
export type { Handler } from "./Delivery.js"
export { InboundMessage, type InboundTurn, type TurnOptions, turn } from "./InboundMessage.js"
export { type Draft, type Found, finding, refuse } from "./Intake.js"
export { type EndpointOptions, make as receiver, type Options, type Receiver } from "./Receiver.js"
export { isEd25519, isHmac, isTimely, publicKey, sameText } from "./Signature.js"
export {
  make as webhook,
  type Payload,
  type Protocol,
  type Received,
  type Verdict,
  type WebhookOptions
} from "./Webhook.js"
