long shape_area(long side)
{
    return side * side;
}
