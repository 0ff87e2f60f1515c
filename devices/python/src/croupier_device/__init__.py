"""A person's device for Croupier: follows a model, reports the person's gradients and answers under
local differential privacy, and keeps the person's account. docs/build/python.md is the guide.
"""
from .device import Device, Participant, Sent
from .errors import (
    AlreadyReportedError, CroupierError, GatewayError, JobRefusedError, LedgerBusyError, LedgerError, LimitReachedError,
    NotChosenError, RefusedError, StoppedError)
from .features import Features
from .gateway import Gateway, Transport
from .ledger import Data, Decision, Ledger, Limit, Spent, StoredReport
from .randomisers import Choice, Group, HashedResponse, PrivUnit, RandomisedResponse
from .records import GradientReport, ModelUpdate
from .snapshot import Question, Snapshot, Statistic, Terms, size_of_linear
from .vectors import expand_candidate, norm
from .version import VERSION

__all__ = [
    "VERSION", "AlreadyReportedError", "Choice", "CroupierError", "Data", "Decision", "Device", "Features", "Gateway",
    "GatewayError", "GradientReport", "Group", "HashedResponse", "JobRefusedError", "Ledger", "LedgerBusyError", "LedgerError", "Limit", "LimitReachedError", "ModelUpdate", "NotChosenError",
    "Participant", "PrivUnit", "Question", "RandomisedResponse", "RefusedError", "Sent", "Snapshot", "Spent",
    "Statistic", "StoppedError", "StoredReport", "Terms", "Transport", "expand_candidate", "norm", "size_of_linear",
]
