"""Structured predictors with scikit-learn's interface, each fit with a certified distance to its optimum."""

from structbench.bench.estimators.chains import ChainCRF as ChainCRF
from structbench.bench.estimators.chains import StructuredSVM as StructuredSVM
from structbench.bench.estimators.crf import CRF as CRF
from structbench.bench.estimators.fields import FieldCRF as FieldCRF
from structbench.bench.estimators.multiclass import MulticlassCRF as MulticlassCRF
from structbench.bench.estimators.parser import DependencyParser as DependencyParser
from structbench.bench.estimators.scoring import scorer as scorer
from structbench.bench.estimators.segments import SemiMarkovCRF as SemiMarkovCRF
