/** What is kept for tools: secrets, entries of a store, attachments. */
import { AttachmentsError } from "../../capabilities/attachments/AttachmentsOperations.js"
import { SecretsError } from "../../capabilities/secrets/SecretsOperations.js"
import { StorageError } from "../../capabilities/storage/StorageOperations.js"
import { deniedOf } from "./denied.js"
import { topic } from "./topic.js"

const ofSecrets = SecretsError.fields.code.literals

export const secrets = topic({
  title: "Secrets",
  about: "Secrets that are refused or not there. Neither a value nor a ref that is not held is ever named.",
  surfaces: { SecretsError: ofSecrets, Denial: deniedOf(ofSecrets) },
  words: {
    SECRET_NOT_DECLARED: {
      cause: "The tool does not declare the secret, or the policy lists secrets and does not list this one.",
      remedy: "Add the ref to the tool's `secrets` and, where the policy lists them, to its `secrets.allow`."
    },
    SECRET_NOT_FOUND: {
      cause: "The secret is held, and no source has it; an empty value is none.",
      remedy:
        "Set it in the environment, in `.env` or in the directory of secrets; the log says where it was looked for."
    },
    SECRET_REF_INVALID: {
      cause: "What was asked for is not the name of a secret.",
      remedy:
        "Write segments of letters, digits and `_ @ + : = . -` between slashes, none of them starting with a dot."
    },
    SECRET_SEALED: {
      cause:
        "The value of the secret was asked for, and the tool declares it sealed, or the policy says that secrets are only sent sealed.",
      remedy:
        "Take a token with `Secrets.sealed`, and send that; to read the value, declare the ref alone under a policy that does not say `sealed`."
    },
    SEAL_INVALID: {
      cause: "The form that a sealed secret is to take is none that there is, or too many were asked for.",
      remedy: "Write one of the forms `basic`, `hmac` and `aws4` as the message says, and take a token once."
    },
    SECRETS_FAILED: {
      cause: "A source of secrets is missing, cannot be read, or is not a regular file of text.",
      remedy: "Look into the log, which says what is wrong with which file; the tool is not told."
    }
  }
})

const ofStorage = StorageError.fields.code.literals

export const storage = topic({
  title: "Storage",
  about: "Entries that cannot be kept or read.",
  surfaces: { StorageError: ofStorage, Denial: deniedOf(ofStorage) },
  words: {
    SCOPE_NOT_ALLOWED: {
      cause: "The scope is not one that the tool declares, or the policy does not allow it.",
      remedy: "Declare it as `storage`, and add it to the policy's `storage.scopes` where there are any."
    },
    KEY_INVALID: {
      cause:
        "The key, or the name of the session, tool or personality, is empty, too long or holds half a character.",
      remedy: "Use a shorter one of whole characters, such as a digest."
    },
    VALUE_INVALID: {
      cause: "The value is not text or is too long, or its time to live is not a whole number of seconds.",
      remedy: "Encode the value, keep what is large in a file, and give whole seconds, 1 or more."
    },
    QUOTA_EXCEEDED: {
      cause: "The session, tool or personality holds as many entries or bytes as the store allows.",
      remedy: "Delete entries or give them a time to live, or raise the `quota` of the layer."
    },
    STORAGE_BUSY: {
      cause: "Another process used the store for longer than an operation waits.",
      remedy: "End that process, try again, or raise `waitAtMost` of the layer."
    },
    STORAGE_UNAVAILABLE: {
      cause:
        "What keeps the entries is not there: PostgreSQL cannot be reached, or does not let the program in.",
      remedy:
        "Start it, or correct what the sentence says; until then calls that need it answer `not_available`."
    },
    STORAGE_FENCED: {
      cause: "Another runner has taken over the work of this one, which was taken for dead.",
      remedy: "Call again: the runner that took over answers. Nothing was written."
    },
    STORAGE_FAILED: {
      cause:
        "The store could not be opened, read or written: space, rights, a damaged or foreign file, a missing package.",
      remedy: "Do what the message says, and look at the directory of the store and its disk."
    }
  }
})

const ofAttachments = AttachmentsError.fields.code.literals

export const attachments = topic({
  title: "Attachments",
  about: "Attachments of a turn that cannot be opened.",
  surfaces: { AttachmentsError: ofAttachments, Denial: deniedOf(ofAttachments) },
  words: {
    ATTACHMENT_NOT_FOUND: {
      cause: "The turn has no attachment of that ref, or its file is gone.",
      remedy: "Use a ref that `list_attachments` shows, or have the file sent again."
    },
    KIND_NOT_ALLOWED: {
      cause: "The tool does not declare attachments of that kind, or the policy does not allow them.",
      remedy: "Declare the kind, and add it to the policy's `attachments.kinds` where there are any."
    },
    ATTACHMENT_MISMATCH: {
      cause: "The attachment is not the one that the turn has under its ref, or two have the same ref.",
      remedy: "Pass on what `list` gave, unchanged, and leave refs to the framework."
    },
    ATTACHMENTS_FAILED: {
      cause:
        "The file is too large, a link, not a regular file or not of this session, or the cache cannot be used.",
      remedy: "Have it sent again as a regular file, and look at the directory of the cache."
    }
  }
})
