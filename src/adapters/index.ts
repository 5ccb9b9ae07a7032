/**
 * Messages from the places where people send them, with their files in the attachment cache: Telegram, Slack, Discord,
 * e-mail, and what a fifth adapter is made of.
 *
 * @since 0.1.0
 */

export * as Discord from "./Discord.js"
export * as Email from "./Email.js"
export * as Inbound from "./Inbound.js"
export * as Slack from "./Slack.js"
export * as Telegram from "./Telegram.js"
