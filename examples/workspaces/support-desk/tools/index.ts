export { draftReply, sendReply } from "./replies.ts"
export { findTickets, showTicket } from "./tickets.ts"
