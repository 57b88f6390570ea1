"""What all outputs have in common that label nodes, with features of nodes and of edges between two of them."""
