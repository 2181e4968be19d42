int deep(void);
int part(void);
int middle(void);
int middle(void)
{
    return deep() + part();
}
