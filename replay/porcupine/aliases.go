package porcupine

import "github.com/anishathalye/porcupine"

// The types of porcupine that describe models and histories, and their constants.
type (
	Model                 = porcupine.Model
	NondeterministicModel = porcupine.NondeterministicModel
	Operation             = porcupine.Operation
	Event                 = porcupine.Event
	EventKind             = porcupine.EventKind
	CheckResult           = porcupine.CheckResult
)

// LinearizationInfo is the name of Info in porcupine.
type LinearizationInfo = Info

const (
	CallEvent   = porcupine.CallEvent
	ReturnEvent = porcupine.ReturnEvent

	Unknown = porcupine.Unknown
	Ok      = porcupine.Ok
	Illegal = porcupine.Illegal
)
