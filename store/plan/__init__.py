"""Proposals to plans: exact bytes afterwards, verdicts, digest."""

from placet.store.plan.planner import PlanList, plan, plan_all
from placet.store.plan.prints import OperationPrint, Prints, prints
from placet.store.plan.refusing import default_choice
from placet.store.plan.relations import Together, knock_on, same_as, together

__all__ = [
    "OperationPrint",
    "PlanList",
    "Prints",
    "Together",
    "default_choice",
    "knock_on",
    "plan",
    "plan_all",
    "prints",
    "same_as",
    "together",
]
