/** From a tool of `@effect/ai` to one of ours. */
import * as AiTool from "@effect/ai/Tool"
import { Context, Schema } from "effect"

/** A schema that needs no services: nothing of a tool's schemas runs with any. */
type Closed<S> = S & { readonly Context: never }

/**
 * What a tool of `@effect/ai` says of itself, in the options of `Tool.make`.
 *
 * @since 0.1.0
 * @category models
 */
export interface OptionsOf<Name extends string, Parameters, Success, Failure> {
  readonly name: Name
  readonly description: string
  readonly parameters: Parameters extends AiTool.EmptyParams ? Schema.Struct<{}> : Parameters
  readonly success: Success
  readonly failure: Failure
  readonly readOnly: boolean
}

/**
 * The options that a tool of `@effect/ai` shares with ours: name, description, schemas, and whether it only reads.
 * Spread them into `Tool.make`, with a declaration and the handler. What the handler uses and the declaration does not
 * name is a compile error.
 *
 * @example
 * ```ts
 * import { Tool as AiTool } from "@effect/ai"
 * import { Network, Tool } from "bailiwick"
 * import { options } from "bailiwick/ai/effect"
 * import { Schema } from "effect"
 *
 * const Forecast = AiTool.make("forecast", {
 *   description: "The forecast for a place",
 *   parameters: { place: Schema.String },
 *   success: Schema.String
 * })
 *
 * export const forecast = Tool.make({
 *   ...options(Forecast),
 *   capabilities: { network: { allowedHosts: ["api.weather.gov"] } },
 *   execute: ({ place }) => Network.get(`https://api.weather.gov/${place}`)
 * })
 * ```
 *
 * @since 0.1.0
 * @category constructors
 */
export const options = <
  Name extends string,
  Parameters extends AiTool.AnyParametersSchema,
  Success extends Schema.Schema.Any,
  Failure extends Schema.Schema.All,
  Mode extends AiTool.FailureMode,
  Requirements
>(
  tool: AiTool.Tool<
    Name,
    {
      readonly parameters: Closed<Parameters>
      readonly success: Closed<Success>
      readonly failure: Closed<Failure>
      readonly failureMode: Mode
    },
    Requirements
  >
): OptionsOf<Name, Parameters, Success, Failure> => {
  const { annotations, failureSchema, name, parametersSchema, successSchema } = tool
  const described = tool.description ?? AiTool.getDescriptionFromSchemaAst(parametersSchema.ast)
  return {
    name,
    description: described ?? name,
    // A tool without parameters has a record of nothing; here that is a struct without fields.
    parameters: (Object.hasOwn(parametersSchema, "fields")
      ? parametersSchema
      : Schema.Struct({})) as OptionsOf<Name, Parameters, Success, Failure>["parameters"],
    success: successSchema,
    failure: failureSchema,
    readOnly: Context.get(annotations, AiTool.Readonly)
  }
}
